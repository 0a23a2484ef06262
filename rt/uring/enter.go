//go:build linux

package uring

import "golang.org/x/sys/unix"

// The two ways into the kernel. Go's scheduler must be told about a call that
// may block (Syscall), or a collection that wants to stop this thread waits as
// long as the call does. Telling it costs about as much as a cheap enter, so a
// call that cannot block goes without (RawSyscall).

// sysEnter is io_uring_enter that may block.
func sysEnter(fd int, submit, wait uint32, flags uintptr) (int, unix.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), uintptr(submit), uintptr(wait), flags, 0, 0)
	return int(n), errno
}

// sysEnterNoBlock is io_uring_enter that waits for nothing.
func sysEnterNoBlock(fd int, submit uint32, flags uintptr) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), uintptr(submit), 0, flags, 0, 0)
	return int(n), errno
}
