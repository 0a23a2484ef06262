//go:build linux

package uring

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Ring is one io_uring. Its methods are for one thread at a time; see the
// package comment for the rules on threads and memory.
//
// Memory ordering. The kernel reads entries up to the tail that we publish, and
// publishes how far it got as the head; for completions the roles are swapped
// (io_uring/io_uring.c, "A note on the read/write ordering memory barriers").
// Each of the four indices is therefore accessed with sync/atomic, which is at
// least acquire and release, and entries with plain loads and stores between.
type Ring struct {
	fd   int
	info Info

	// Submission. tail counts the entries handed out by SQE; what lies
	// between the published tail and it has not been shown to the kernel yet.
	// head is our latest look at the kernel's.
	sqes   []SQE
	sqMask uint32
	head   uint32
	tail   uint32
	sqHead *uint32
	sqTail *uint32
	flags  *uint32

	// Completion.
	cqes   []CQE
	cqMask uint32
	cqHead *uint32
	cqTail *uint32

	// The argument of a wait with a timeout. It lives here because the
	// kernel gets its address.
	arg getEventsArg
	ts  Timespec

	waitFlags uintptr // of every io_uring_enter that may block

	groups []*BufRing // by their number; nil if it is free

	mappings [2][]byte
	enters   uint64
	waits    uint64
}

// Info returns what the kernel granted.
func (r *Ring) Info() Info { return r.info }

// Supports reports whether the kernel has an operation.
func (r *Ring) Supports(op Opcode) bool { return r.info.Supports(op) }

// Enters returns how many times io_uring_enter has been called, and how many of
// these calls were allowed to block.
func (r *Ring) Enters() (all, waits uint64) { return r.enters, r.waits }

// SQE returns the next submission queue entry, zeroed, for the caller to fill.
// It returns nil if the queue is full: Submit makes room. The entry is part of
// the next Submit or Wait and must not be touched after that.
func (r *Ring) SQE() *SQE {
	if r.tail-r.head == uint32(len(r.sqes)) {
		r.head = atomic.LoadUint32(r.sqHead)
		if r.tail-r.head == uint32(len(r.sqes)) {
			return nil
		}
	}
	e := &r.sqes[r.tail&r.sqMask]
	r.tail++
	// The kernel has consumed what was here, but the bytes are still there,
	// and fields that an operation does not use must be zero.
	*e = SQE{}
	return e
}

// Pending returns how many entries the kernel has not taken yet.
func (r *Ring) Pending() int {
	r.head = atomic.LoadUint32(r.sqHead)
	return int(r.tail - r.head)
}

// Ready returns how many completions can be reaped without a system call.
func (r *Ring) Ready() int {
	return int(atomic.LoadUint32(r.cqTail) - atomic.LoadUint32(r.cqHead))
}

// NeedsEnter reports whether the kernel holds completions that it can only
// deliver when it is entered: some that did not fit into the ring, or work that
// cooperative task running has left for this thread. Submit does it.
func (r *Ring) NeedsEnter() bool {
	return atomic.LoadUint32(r.flags)&(sqCQOverflow|sqTaskrun) != 0
}

// Submit hands all pending entries to the kernel and lets it deliver the
// completions that it holds (see NeedsEnter), without blocking. It makes one
// system call even if there is nothing to submit.
//
// The error is nil also if the kernel took only a part; Pending tells. EBUSY
// and EAGAIN mean that nothing was taken: the kernel wants completions to be
// reaped first, or is short of memory. Any other error is a misuse.
func (r *Ring) Submit() error {
	for {
		r.enters++
		_, errno := sysEnterNoBlock(r.fd, r.publish(), enterGetEvents)
		r.head = atomic.LoadUint32(r.sqHead)
		// After EINTR and after a short count alike the kernel's head says
		// what is left; an interrupted call has nothing to wait for, so it
		// is simply made again.
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// Wait is Submit, and then blocks until at least n completions can be reaped or
// timeout has passed; a negative timeout never passes. It may return early, with
// a nil error, when a signal arrives or the kernel took only a part of the
// pending entries, so the caller looks at Ready and Pending.
func (r *Ring) Wait(n int, timeout time.Duration) error {
	r.enters++
	r.waits++
	submit := r.publish()
	var errno unix.Errno
	if timeout < 0 {
		_, errno = sysEnter(r.fd, submit, uint32(n), r.waitFlags)
	} else {
		r.ts = Timespec{Sec: int64(timeout / time.Second), Nsec: int64(timeout % time.Second)}
		_, errno = r.enterTimeout(submit, uint32(n))
	}
	r.head = atomic.LoadUint32(r.sqHead)
	switch errno {
	case 0, unix.EINTR, unix.ETIME:
		return nil
	}
	return errno
}

// unsubmitted is Pending without a look at shared memory: every system call of
// ours refreshes head, and between calls the kernel takes nothing.
func (r *Ring) unsubmitted() bool { return r.tail != r.head }

// publish shows the kernel all entries handed out so far and returns how many
// it has not taken.
func (r *Ring) publish() uint32 {
	atomic.StoreUint32(r.sqTail, r.tail)
	r.head = atomic.LoadUint32(r.sqHead)
	return r.tail - r.head
}

// Reap moves completions into dst, oldest first, and returns how many. It makes
// no system call; completions that the kernel still holds (see NeedsEnter) are
// not seen.
func (r *Ring) Reap(dst []CQE) int {
	head := atomic.LoadUint32(r.cqHead)
	n := min(int(atomic.LoadUint32(r.cqTail)-head), len(dst))
	if n == 0 {
		return 0
	}
	// At most two pieces: up to the end of the array, and from its start.
	first := copy(dst[:n], r.cqes[head&r.cqMask:])
	copy(dst[first:n], r.cqes)
	// From here on the kernel may overwrite them.
	atomic.StoreUint32(r.cqHead, head+uint32(n))
	return n
}

// Close releases the ring. Requests in flight are cancelled by the kernel, but
// not before Close returns: whoever gave it buffers must have reaped their
// completions first. Nothing may be called on the ring afterwards, except Close.
func (r *Ring) Close() error {
	if r.fd < 0 {
		return nil
	}
	fd := r.fd
	r.fd = -1
	err := r.unmap()
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	return err
}
