//go:build linux

package uring

import (
	"time"

	"golang.org/x/sys/unix"
)

// The two ways into the kernel. Go's scheduler must be told about a call that
// may block (Syscall), or a collection that wants to stop this thread waits as
// long as the call does. Telling it costs about as much as a cheap enter, so a
// call that cannot block goes without (RawSyscall).

// enter is io_uring_enter that may block, until wait completions are there or timeout
// has passed, if it is not negative. For batch see Ring.WaitBatch.
func (r *Ring) enter(submit, wait uint32, flags uintptr, batch, timeout time.Duration) unix.Errno {
	r.enters++
	r.waits++
	flags |= r.enterFlags | r.waitFlags
	if r.fault != nil {
		if errno, answered := r.fault(submit, wait, flags); answered {
			return errno
		}
	}
	if timeout < 0 && batch <= 0 {
		_, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(submit), uintptr(wait), flags, 0, 0)
		return errno
	}
	return r.enterArg(submit, wait, flags, batch, timeout)
}

// enterNoBlock is io_uring_enter that waits for nothing.
func (r *Ring) enterNoBlock(submit uint32, flags uintptr) unix.Errno {
	r.enters++
	flags |= r.enterFlags
	if r.fault != nil {
		if errno, answered := r.fault(submit, 0, flags); answered {
			return errno
		}
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(submit), 0, flags, 0, 0)
	return errno
}
