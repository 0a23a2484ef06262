//go:build linux

package uring

import (
	"fmt"
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

	// spilled are completions taken from the queue to make room, see Submit.
	spilled []CQE

	// The argument of a wait with a timeout. It lives here because the
	// kernel gets its address.
	arg getEventsArg
	ts  Timespec

	// How io_uring_enter names the ring: by descriptor, or by a registered one.
	enterFD    uintptr
	enterFlags uintptr // of every call
	waitFlags  uintptr // of every call that may block
	sqpoll     bool

	groups  []*BufRing // by their number; nil if it is free
	buffers [][]byte   // registered, see RegisterBuffers

	draining bool // the entry of an unfinished CancelAll is in flight

	// fault, if set by a test, may answer a call of io_uring_enter itself.
	fault func(submit, wait uint32, flags uintptr) (errno unix.Errno, answered bool)

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

// SQE returns the next submission queue entry, zeroed, for the caller to fill. The
// entry is part of the next Submit or Wait and must not be touched after that.
//
// When the queue is full SQE submits it. A chain of linked entries must be submitted
// together; see Reserve. SQE returns nil only if the ring cannot be used, because it
// is closed or belongs to another thread; Submit then says why.
func (r *Ring) SQE() *SQE {
	if e := r.entry(); e != nil {
		return e
	}
	if r.Reserve(1) != nil {
		return nil
	}
	return r.entry()
}

// entry is SQE, but returns nil if the queue is full.
func (r *Ring) entry() *SQE {
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

// Reserve makes sure that the next n calls of SQE do not submit, as the entries of a
// chain of links need, because a submission ends a chain. n is at most the size of the
// queue. It submits if there is not enough room, and may then have to wait for the
// kernel.
func (r *Ring) Reserve(n int) error {
	if n > len(r.sqes) && r.fd >= 0 {
		return fmt.Errorf("uring: room for %d entries in a queue of %d: %w", n, len(r.sqes), unix.EINVAL)
	}
	for len(r.sqes)-r.Pending() < n {
		if err := r.Submit(); err != nil {
			return err
		}
		if len(r.sqes)-r.Pending() < n {
			r.spill() // completions that wait may be what keeps the kernel from going on
			r.pause()
		}
	}
	return nil
}

// Pending returns how many entries the kernel has not taken yet.
func (r *Ring) Pending() int {
	r.head = atomic.LoadUint32(r.sqHead)
	return int(r.tail - r.head)
}

// Ready returns how many completions can be reaped without a system call.
func (r *Ring) Ready() int {
	return len(r.spilled) + int(atomic.LoadUint32(r.cqTail)-atomic.LoadUint32(r.cqHead))
}

// NeedsEnter reports whether the kernel holds completions that it can only
// deliver when it is entered: some that did not fit into the ring, or work that
// cooperative task running has left for this thread. Submit does it.
func (r *Ring) NeedsEnter() bool {
	return atomic.LoadUint32(r.flags)&(sqCQOverflow|sqTaskrun) != 0
}

// Submit hands all pending entries to the kernel and lets it deliver the
// completions that it holds (see NeedsEnter), without blocking. It makes a system
// call even if there is nothing to submit, except on a ring with SQPOLL.
//
// The kernel may leave entries in the queue, when it is short of memory; they are
// part of the next Submit or Wait. An error is a misuse of the ring.
func (r *Ring) Submit() error {
	for {
		before := r.head
		submit, flags := r.publish(), uintptr(enterGetEvents)
		if r.sqpoll {
			if flags = r.pollerFlags(); flags == 0 {
				return nil
			}
		}
		errno := r.enterNoBlock(submit, flags)
		// After EINTR and after a short count alike the kernel's head says what is
		// left; it is never computed from what the call returns.
		r.head = atomic.LoadUint32(r.sqHead)
		switch errno {
		case 0:
			// The kernel stops at an entry that is wrong, unless it knows
			// SUBMIT_ALL, and when it runs out of memory.
			if r.tail != r.head && r.head != before && !r.sqpoll {
				continue
			}
			return nil
		case unix.EINTR:
			continue
		case unix.EBUSY:
			// The completion queue has overflowed, and some kernels then take
			// nothing until it has been emptied.
			if r.spill() == 0 {
				return nil
			}
		case unix.EAGAIN, unix.ENOMEM:
			return nil
		default:
			return errno
		}
	}
}

// pollerFlags are the flags that an enter of a ring with SQPOLL needs, none if
// the kernel's thread is awake.
//
// The thread sets the flag, then looks at the tail once more before it sleeps (io_uring/
// sqpoll.c, io_sq_thread: "Ensure the store of the wakeup flag is not reordered with the
// load of the SQ tail"). We store the tail, in publish, and then load the flag, here.
// Operations of sync/atomic are sequentially consistent, so one of the two sides sees
// the other (io_uring(7) asks for a full barrier at this place).
func (r *Ring) pollerFlags() (flags uintptr) {
	f := atomic.LoadUint32(r.flags)
	if f&sqNeedWakeup != 0 {
		flags |= enterSQWakeup
	}
	if f&(sqCQOverflow|sqTaskrun) != 0 {
		flags |= enterGetEvents
	}
	return flags
}

// Wait is Submit, and then blocks until at least n completions can be reaped or
// timeout has passed; a negative timeout never passes. It may return early, with
// a nil error, when a signal arrives or the kernel took only a part of the
// pending entries, so the caller looks at Ready and Pending.
func (r *Ring) Wait(n int, timeout time.Duration) error {
	return r.WaitBatch(n, 0, timeout)
}

// WaitBatch is Wait, and after batch is content with one completion instead of n: it
// trades that much latency for fewer returns. Before Linux 6.12 it is Wait for
// one completion.
func (r *Ring) WaitBatch(n int, batch, timeout time.Duration) error {
	if batch > 0 && r.info.Features&FeatMinTimeout == 0 {
		n, batch = min(n, 1), 0
	}
	if n -= len(r.spilled); n <= 0 {
		return r.Submit()
	}
	submit, flags := r.publish(), uintptr(0)
	if r.sqpoll {
		flags = r.pollerFlags()
	}
	errno := r.enter(submit, uint32(n), flags, batch, timeout)
	r.head = atomic.LoadUint32(r.sqHead)
	switch errno {
	case 0, unix.EINTR, unix.ETIME:
		return nil
	case unix.EBUSY, unix.EAGAIN, unix.ENOMEM:
		// See Submit. The kernel has not waited.
		if r.spill() == 0 && timeout != 0 {
			r.pause()
		}
		return nil
	}
	return errno
}

// pause waits for a moment, or for any completion, for the kernel to become able to
// take entries.
func (r *Ring) pause() {
	if r.sqpoll {
		r.enter(0, 0, r.pollerFlags()|enterSQWait, 0, -1)
		return
	}
	r.enter(0, uint32(atomic.LoadUint32(r.cqTail)-atomic.LoadUint32(r.cqHead))+1, 0, 0, time.Millisecond)
}

// spill moves what is in the completion queue into memory of ours, to make room for
// what the kernel holds. It returns how much that is.
func (r *Ring) spill() int {
	n := int(atomic.LoadUint32(r.cqTail) - atomic.LoadUint32(r.cqHead))
	for left := n; left > 0; {
		var buf [64]CQE
		k := r.reapQueue(buf[:min(left, len(buf))])
		r.spilled = append(r.spilled, buf[:k]...)
		left -= k
	}
	return n
}

// unsubmitted is Pending without a look at shared memory: every system call of
// ours refreshes head, and between calls the kernel takes nothing (but with SQPOLL,
// when it is harmless to be wrong).
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
	if r.draining {
		// CancelAll has given up. Its entry is nobody else's business.
		_, _ = r.drained()
	}
	if len(r.spilled) == 0 {
		return r.reapQueue(dst)
	}
	n := copy(dst, r.spilled)
	if r.spilled = r.spilled[n:]; len(r.spilled) == 0 {
		r.spilled = nil
	}
	return n + r.reapQueue(dst[n:])
}

func (r *Ring) reapQueue(dst []CQE) int {
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
// completions first, or called CancelAll. Nothing may be called on the ring afterwards,
// except Close.
func (r *Ring) Close() error {
	if r.fd < 0 {
		return nil
	}
	err := r.UnregisterRingFD()
	fd := r.fd
	r.fd, r.enterFD = -1, ^uintptr(0)
	r.spilled = nil
	if uerr := r.unmap(); err == nil {
		err = uerr
	}
	if cerr := unix.Close(fd); err == nil {
		err = cerr
	}
	return err
}
