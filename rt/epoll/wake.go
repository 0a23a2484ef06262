//go:build linux

package epoll

import (
	"runtime"
	"sync/atomic"
)

// The states of a waker.
const (
	awake    = iota // the owner is not blocked, and nothing is asked of it
	asleep          // the owner blocks in the kernel, or is about to
	notified        // a wake-up has been asked for since the owner last looked
	shut            // the driver is closed
)

const cacheLine = 64

// waker lets other threads end the owner's sleep. A wake-up costs a system call
// only if it finds the owner asleep, and of many at once only the first does.
//
// None is lost: the owner moves awake -> asleep before it blocks, and does not
// block if that fails because the state is notified. A caller that moves asleep
// -> notified writes to the eventfd, which is in the set. The eventfd is edge
// triggered and never read: each write is an edge of its own, whatever the
// counter holds. An edge may come after the owner has already woken for another
// reason; it then ends some later sleep early, which Wait is allowed to do.
type waker struct {
	// What other threads write shares no cache line with what the owner does.
	_     [cacheLine]byte
	fd    int32
	state atomic.Uint32
	// writers counts the threads between the decision to write and the end of
	// the write, so that shutdown does not close the eventfd under them.
	writers atomic.Int32
	sent    atomic.Uint64 // writes made
	_       [cacheLine]byte
}

// wake may be called by any thread.
func (w *waker) wake() {
	for {
		switch s := w.state.Load(); s {
		case awake:
			if w.state.CompareAndSwap(awake, notified) {
				return
			}
		case asleep:
			w.writers.Add(1)
			if w.state.CompareAndSwap(asleep, notified) {
				w.sent.Add(1)
				// The only error is EAGAIN for a full counter, which needs
				// 2^64 writes.
				eventWrite(w.fd)
				w.writers.Add(-1)
				return
			}
			w.writers.Add(-1)
		default:
			return
		}
	}
}

// sleep is called by the owner before it blocks. If it returns false, a wake-up
// has come already and is now spent: the owner must not block.
func (w *waker) sleep() bool {
	if w.state.CompareAndSwap(awake, asleep) {
		return true
	}
	w.state.CompareAndSwap(notified, awake)
	return false
}

// rise is called by the owner after it has blocked.
func (w *waker) rise() {
	w.state.Store(awake)
}

// shutdown makes wake do nothing from now on, and returns when no thread is in
// the middle of a write.
func (w *waker) shutdown() {
	w.state.Store(shut)
	for w.writers.Load() != 0 {
		runtime.Gosched()
	}
}
