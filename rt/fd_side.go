//go:build linux && !cogen_portable

package rt

import (
	"net"
	"os"
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// side is one direction of a socket: receiving and accepting, or sending and
// connecting.
type side struct {
	// holder is who may operate on this side: the worker whose task does, or
	// offWorker, or nil when it is free.
	holder atomic.Pointer[worker]
	// op is the holder's operation in flight, if any. It is touched on the
	// holder's thread only.
	op *driver.Op
	// deadline is the time, in nanotime, from which operations fail; 0 is never.
	deadline atomic.Int64
	// timer cancels op when deadline passes. It is made when an operation has to
	// wait with a deadline for the first time, and belongs to the holder.
	timer *sideTimer
	// queued is the number of operations in the queue. It changes under netFD.mu.
	queued     atomic.Int32
	head, tail *operation // under netFD.mu
}

// offWorker stands for holders that are not on a worker's thread: a goroutine in
// a system call that does not block, or one that has such a call behind it and is
// about to have a task go on. They have nothing in flight to cancel, and look at
// closed and deadline before they put something there.
var offWorker = new(worker)

// take makes w the holder if the side is free.
func (s *side) take(w *worker) bool {
	return s.holder.Load() == nil && s.holder.CompareAndSwap(nil, w)
}

// expired reports whether the deadline has passed.
func (s *side) expired() bool {
	d := s.deadline.Load()
	return d != 0 && nanotime() >= d
}

// usable says why an operation must not start on s now, or nil.
func (d *netFD) usable(s *side) error {
	if d.closed.Load() {
		return net.ErrClosed
	}
	if s.expired() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// release gives up side s, to the first in its queue if there is one.
func (d *netFD) release(s *side) {
	s.holder.Store(nil)
	if s.queued.Load() != 0 {
		d.grant(s)
	}
	if d.closed.Load() {
		d.drained()
	}
}

// grant hands the free side s to the first operation in its queue.
func (d *netFD) grant(s *side) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := s.head
	// The worker holds the side from now on, though the operation only starts
	// when its task is polled.
	if o == nil || !s.take(o.task.worker) {
		return // whoever took the side grants it later
	}
	s.unqueue()
	o.turn = turnGranted
	o.task.wake()
}

// unqueue takes the first operation out of the queue.
func (s *side) unqueue() {
	o := s.head
	s.head, o.next = o.next, nil
	if s.head == nil {
		s.tail = nil
	}
	s.queued.Add(-1)
}

// withdraw takes o out of the queue of s, and reports false if it is not in it any
// more.
func (d *netFD) withdraw(s *side, o *operation) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.turn != turnWaiting {
		return false
	}
	if o == s.head {
		s.unqueue()
		return true
	}
	// Few ever queue on one direction of a socket: a link back would cost more.
	before := s.head
	for before.next != o {
		before = before.next
	}
	if before.next, o.next = o.next, nil; before.next == nil {
		s.tail = before
	}
	s.queued.Add(-1)
	return true
}

// enqueue lets o wait for its turn on s. It returns false if o need not
// wait: the side came free and o holds it for w, or the descriptor was closed.
func (d *netFD) enqueue(s *side, o *operation, w *worker) (waits bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// Count first, then try: a holder that lets go does the reverse.
	s.queued.Add(1)
	if s.take(w) {
		s.queued.Add(-1)
		return false, nil
	}
	if d.closed.Load() {
		s.queued.Add(-1)
		return false, net.ErrClosed
	}
	o.turn = turnWaiting
	if s.tail == nil {
		s.head = o
	} else {
		s.tail.next = o
	}
	s.tail = o
	return true, nil
}

// turnOf reads o's place in the queue.
func (d *netFD) turnOf(o *operation) turn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return o.turn
}

// dismiss sends away everything that queues on s: the descriptor is closed.
func (d *netFD) dismiss(s *side) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for o := s.head; o != nil; o = s.head {
		s.unqueue()
		o.turn = turnDismissed
		o.task.wake()
	}
}

// interrupt has the holder of s look again at closed and deadline. It is called
// after one of them changed (F2), on any thread. It returns the holder if that
// is a worker that has ended, nil otherwise.
func (d *netFD) interrupt(s *side) (gone *worker) {
	w := s.holder.Load()
	if w == nil || w == offWorker {
		return nil
	}
	if cx := currentContext(); cx != nil && cx.worker == w {
		was := cx.enter()
		defer cx.exit(was)
		if w.stopping {
			return w
		}
		d.reconsider(s, w)
		return nil
	}
	if !w.exec(func() { d.reconsider(s, w) }) {
		return w
	}
	return nil
}

// reconsider cancels the operation in flight on s if it must not go on, and
// otherwise sets its timer anew. It runs on w's thread (F3), and not inside a
// poll of the operation.
func (d *netFD) reconsider(s *side, w *worker) {
	if s.holder.Load() != w {
		return
	}
	var flowing *task
	if in := d.in.Load(); in != nil && s == &d.rd {
		flowing = in.waiter
	}
	if s.op == nil && flowing == nil {
		// What was in flight has ended, or nothing is yet. Its task sees the change.
		return
	}
	s.disarm(w)
	if d.usable(s) != nil {
		if s.op != nil {
			w.touch()
			w.drv.Cancel(s.op)
		} else {
			flowing.wakeLocal()
		}
		return
	}
	s.arm(d, w)
}
