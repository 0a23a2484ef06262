//go:build linux

package uring

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// waker lets other threads end the driver's sleep.
//
// One word says where the driver's thread is:
//
//	running  -> notified   wake: the next Wait will not sleep
//	running  -> sleeping   the driver's thread goes into the kernel to wait
//	sleeping -> notified   wake: and sends a completion into the ring
//	notified -> running    the driver's thread has been, or need not be, woken
//	any      -> closed     for good
//
// Only the transition from sleeping costs the waker a system call, and only one
// waker makes it, however many there are. No wake-up is lost: work that a waker
// has published before wake is seen by the driver's thread after it has left
// notified, which it must before it can sleep; and once it is sleeping, the
// completion ends its wait, also when it is sent before the thread has
// reached the kernel.
type waker struct {
	// What other threads touch has cache lines of its own, or every wake-up
	// would take the driver's hot fields away from its thread.
	_     [64]byte
	state atomic.Uint32
	sent  atomic.Uint64 // completions sent by wakers; the send is over
	_     [64]byte

	owed uint64 // transitions from sleeping to notified; the driver's thread only

	ring *Ring
	// eventFD is watched by a multishot poll in the ring, or -1 where a
	// message can be sent to the ring without one.
	eventFD int
	armed   bool
	message SQE
}

const (
	running = iota
	sleeping
	notified
	closed
)

// open prepares the way into the ring.
//
// Since Linux 6.13 io_uring_register can put a completion into any ring, half as
// costly as an event descriptor (about 150 ns instead of 300) and with nothing to
// set up. That is tried here, and used if it works.
func (w *waker) open(ring *Ring, noMsgRing bool) error {
	w.ring = ring
	w.eventFD = -1
	w.message.PrepMsgRing(int32(ring.fd), uint64(kindWake), 0)
	if !noMsgRing && sysSendMsgRing(&w.message) == 0 {
		var trial [1]CQE
		ring.Reap(trial[:])
		return nil
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("uring: eventfd: %w", err)
	}
	w.eventFD = fd
	return nil
}

// sleep is called by the driver's thread before it waits. It returns false if
// there was a wake-up, and then the thread must not wait.
func (w *waker) sleep() bool {
	if w.eventFD >= 0 && !w.arm() {
		return false
	}
	if w.state.CompareAndSwap(running, sleeping) {
		return true
	}
	w.state.Store(running)
	return false
}

// awake is called by the driver's thread after sleep has returned true and the
// wait is over.
func (w *waker) awake() {
	if w.state.Swap(running) == notified {
		w.owed++
	}
}

// arm sees to it that the event descriptor is watched. A multishot poll
// completes at every write to it, so it never has to be read. It returns false
// if there is no room in the queue; then the driver's thread takes another turn.
func (w *waker) arm() bool {
	if w.armed {
		return true
	}
	e := w.ring.entry()
	if e == nil {
		return false
	}
	e.PrepPollAdd(int32(w.eventFD), unix.POLLIN, PollAddMulti)
	e.UserData = uint64(kindWake)
	w.armed = true
	return true
}

// completed handles a completion of kindWake. The wake-up has done its work by
// being there; only the poll may have to be armed again, for instance when the
// completion queue overflowed, or the thread that had armed it has exited.
func (w *waker) completed(flags uint32) {
	if flags&CQEMore == 0 {
		w.armed = false
	}
}

// wake may be called by any thread.
func (w *waker) wake() {
	for {
		switch s := w.state.Load(); s {
		case running:
			if w.state.CompareAndSwap(running, notified) {
				return
			}
		case sleeping:
			if w.state.CompareAndSwap(sleeping, notified) {
				w.send()
				w.sent.Add(1)
				return
			}
		default:
			return
		}
	}
}

// send puts a completion into the ring.
//
// Its errors do not matter. The kernel can fail for lack of memory when the
// completion queue is full; but then the driver's thread does not sleep. An
// event descriptor that cannot count any higher has not been armed for a long
// time, or is ready.
func (w *waker) send() {
	if w.eventFD < 0 {
		sysSendMsgRing(&w.message)
	} else {
		sysAddEvent(w.eventFD)
	}
}

// close makes later wake-ups void, waits for those that are being sent, which
// use descriptors that must not be closed under them, and releases everything.
func (w *waker) close(closeRing func() error) error {
	w.state.Store(closed)
	for w.sent.Load() != w.owed {
		runtime.Gosched()
	}
	err := closeRing()
	if w.eventFD >= 0 {
		if cerr := unix.Close(w.eventFD); err == nil {
			err = cerr
		}
	}
	return err
}
