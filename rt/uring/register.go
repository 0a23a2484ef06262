//go:build linux

package uring

import (
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// registerError says what of io_uring_register went wrong. EINVAL is what a kernel
// says that does not know the operation, so a caller that has no other idea what
// may be wrong with its arguments passes unknown.
func registerError(what string, errno unix.Errno, unknown bool) error {
	if errno == 0 {
		return nil
	}
	if errno == unix.EINVAL && unknown {
		return fmt.Errorf("uring: io_uring_register(%s): the kernel does not know it: %w", what, errors.ErrUnsupported)
	}
	return fmt.Errorf("uring: io_uring_register(%s): %w", what, errno)
}

// RegisterFiles gives the ring a table of n registered files, all of them empty. An
// entry with SQEFixedFile in its Flags has an index into this table as its FD, which
// saves the kernel looking the file up. Files get in by UpdateFiles, or directly
// as the result of an operation ([SQE.SetDirect]), without ever being in the process's
// table. n is limited by RLIMIT_NOFILE, with the error EMFILE.
func (r *Ring) RegisterFiles(n int) error {
	errno := r.registerSparse(registerFiles2, n)
	if errno == unix.EINVAL && n > 0 {
		// Before Linux 5.19: -1 is an empty place.
		none := make([]int32, n)
		for i := range none {
			none[i] = -1
		}
		errno = r.registerArray(registerFiles, none)
	}
	return registerError("FILES", errno, false)
}

// UpdateFiles puts descriptors into the table of registered files, beginning at index;
// -1 makes a place empty. A file in the table stays open until it is replaced,
// whatever happens to the descriptor, and is used on by requests in flight.
func (r *Ring) UpdateFiles(index int, fds []int32) error {
	n, errno := r.updateFiles(index, fds)
	if errno == 0 && n < len(fds) {
		errno = unix.EINVAL
	}
	return registerError("FILES_UPDATE", errno, false)
}

// AllocateFilesFrom limits the places that FileIndexAlloc chooses from to n, beginning at
// index (Linux 6.0), so that the others are the caller's to assign.
func (r *Ring) AllocateFilesFrom(index, n int) error {
	return registerError("FILE_ALLOC_RANGE", r.allocRange(index, n), false)
}

// UnregisterFiles removes the table. Requests in flight keep their files.
func (r *Ring) UnregisterFiles() error {
	return registerError("UNREGISTER_FILES", r.register(unregisterFiles, nil, 0), false)
}

// RegisterBuffers gives the ring a table of n registered buffers, all of them empty
// (Linux 5.19). A buffer in the table is pinned and mapped once, instead of at every operation that
// uses it: [SQE.PrepReadFixed], [SQE.PrepWriteFixed], and zero-copy sends with
// RecvSendFixedBuf. It counts against RLIMIT_MEMLOCK, with the error ENOMEM.
func (r *Ring) RegisterBuffers(n int) error {
	errno := r.registerSparse(registerBuffers2, n)
	if errno == 0 {
		r.buffers = make([][]byte, n)
	}
	return registerError("BUFFERS", errno, n > 0)
}

// UpdateBuffers puts buffers into the table of registered buffers, beginning at index; an empty
// one makes its place empty. The ring keeps them reachable. A buffer that is replaced
// stays pinned until the requests in flight that use it have ended.
func (r *Ring) UpdateBuffers(index int, bufs ...[]byte) error {
	if index < 0 || index+len(bufs) > len(r.buffers) {
		return registerError("BUFFERS_UPDATE", unix.EINVAL, false)
	}
	n, errno := r.updateBuffers(index, bufs)
	copy(r.buffers[index:], bufs[:n])
	if errno == 0 && n < len(bufs) {
		errno = unix.ENOMEM
	}
	return registerError("BUFFERS_UPDATE", errno, false)
}

// UnregisterBuffers removes the table. It may wait for requests that use a buffer.
func (r *Ring) UnregisterBuffers() error {
	errno := r.register(unregisterBuffers, nil, 0)
	if errno == 0 {
		r.buffers = nil
	}
	return registerError("UNREGISTER_BUFFERS", errno, false)
}

// LimitWorkers limits the threads that the kernel makes, for each thread that uses the
// ring, for requests that block (Linux 5.15): bounded for files on disk and the like,
// unbounded for everything else. 0 leaves a limit as it is. It returns the limits
// as they were: without this call a small multiple of the number of CPUs, and
// RLIMIT_NPROC. Requests over the limit wait for their turn.
func (r *Ring) LimitWorkers(bounded, unbounded uint32) (oldBounded, oldUnbounded uint32, err error) {
	limits := [2]uint32{bounded, unbounded}
	errno := r.registerLimits(&limits)
	return limits[0], limits[1], registerError("IOWQ_MAX_WORKERS", errno, true)
}

// RegisterRingFD makes the calling thread, which must be the one that uses the ring,
// enter it by a number that costs the kernel no look-up (Linux 5.18). The number
// means something to that thread only: before another one takes the ring over, or the
// thread exits, it must call UnregisterRingFD.
func (r *Ring) RegisterRingFD() error {
	if r.enterFlags&enterRegisteredRing != 0 {
		return nil
	}
	index, errno := r.updateRingFD(registerRingFDs, ^uint32(0))
	if errno == 0 {
		r.enterFD = uintptr(index)
		r.enterFlags |= enterRegisteredRing
	}
	return registerError("RING_FDS", errno, true)
}

// UnregisterRingFD undoes RegisterRingFD, if it was called.
func (r *Ring) UnregisterRingFD() error {
	if r.enterFlags&enterRegisteredRing == 0 {
		return nil
	}
	_, errno := r.updateRingFD(unregisterRingFDs, uint32(r.enterFD))
	r.enterFD = uintptr(r.fd)
	r.enterFlags &^= enterRegisteredRing
	return registerError("UNREGISTER_RING_FDS", errno, false)
}

// Resize changes the sizes of the queues (Linux 6.13, rings with Defer only). What is in
// the queues is kept; the error is EOVERFLOW if it does not fit.
func (r *Ring) Resize(sqEntries, cqEntries uint32) error {
	if r.info.Flags&SetupDeferTaskrun == 0 {
		return fmt.Errorf("uring: resize of a ring without DEFER_TASKRUN: %w", errors.ErrUnsupported)
	}
	// The kernel copies only the entries that it has been shown.
	r.publish()
	p := params{sqEntries: sqEntries, cqEntries: cqEntries, flags: SetupCQSize | SetupClamp}
	if errno := r.registerResize(&p); errno != 0 {
		return registerError("RESIZE_RINGS", errno, true)
	}
	p.flags = r.info.Flags
	err := r.unmap()
	// As they are for the kernel now; unmap has made them those of a closed ring.
	if merr := r.mapQueues(&p); merr != nil {
		// Nothing can be reached any more.
		return errors.Join(fmt.Errorf("uring: mmap of the resized ring: %w", merr), err, r.Close())
	}
	r.head, r.tail = r.indices()
	r.info.SQEntries, r.info.CQEntries = p.sqEntries, p.cqEntries
	return err
}

// BusyPoll makes waits poll the network devices that the ring's sockets receive from,
// for at most timeout, before they sleep (IORING_REGISTER_NAPI, Linux 6.9): less
// latency for a CPU that is never idle. With prefer the devices' interrupts are held
// off meanwhile. A timeout of 0 ends it.
func (r *Ring) BusyPoll(timeout time.Duration, prefer bool) error {
	if timeout <= 0 {
		return registerError("UNREGISTER_NAPI", r.registerNAPI(unregisterNAPI, &napi{}), true)
	}
	n := napi{busyPoll: uint32(min(timeout/time.Microsecond, math.MaxInt32))}
	if prefer {
		n.prefer = 1
	}
	return registerError("NAPI", r.registerNAPI(registerNAPI, &n), true)
}

// SetClock chooses the clock of the timeouts of Wait (Linux 6.12): CLOCK_MONOTONIC,
// which is what it is otherwise, or CLOCK_BOOTTIME, which goes on in suspend.
func (r *Ring) SetClock(id int32) error {
	return registerError("CLOCK", r.registerClock(&clockRegister{id: uint32(id)}), id == unix.CLOCK_MONOTONIC || id == unix.CLOCK_BOOTTIME)
}
