//go:build linux && !cogen_portable

package rt

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// operation is one turn at a side of a socket, from waiting for the side to
// having the result of a driver operation. Futures of connections and listeners
// embed it; it must not move while they are being polled.
//
//	idle -> queued -> holding <-> inFlight, flowing
//	  \______________/   \_ idle
//
// A goroutine that holds the side already begins with handed instead of idle.
// After poll has returned true with a nil error the operation is holding and
// res is the result; the future then polls again, having changed buf, or
// lets go with finish.
type operation struct {
	fd    *netFD
	next  *operation  // in the side's queue
	task  *task       // to be woken when its turn comes
	op    *driver.Op  // in flight; for messages the future's own, with its Msg
	buf   []byte      // Op.Buf
	res   int32       // Op.Res
	code  driver.Code // Op.Code
	phase phase
	turn  turn      // under fd.mu
	place filePlace // of code Read and Write
	// canceled is set to have the operation given up, and gaveUp when it was.
	canceled, gaveUp bool
}

type phase uint8

const (
	phaseIdle     phase = iota // does not hold the side
	phaseQueued                // in the side's queue
	phaseHanded                // holds the side as offWorker, from a goroutine
	phaseHolding               // holds the side, nothing in flight; never left so between polls
	phaseInFlight              // holds the side, op is in flight or has just ended
	phaseFlowing               // holds the side, the inflow is to bring something
	phaseEmpty                 // holds the side, there was nothing to borrow
)

// turn is what became of an operation in a queue.
type turn uint8

const (
	turnWaiting turn = iota
	turnGranted
	turnDismissed
)

// prepare sets o up for an operation on d. A nil d is for futures of nil
// connections, which never get as far as to poll it.
func (o *operation) prepare(d *netFD, code driver.Code, buf []byte) {
	o.fd = d
	o.code = code
	o.buf = buf
	o.res = 0
	o.phase = phaseIdle
	o.canceled, o.gaveUp = false, false
}

// poll carries o on. False means that it waits and that its task will be woken.
// True with an error means that it may not go on, and does not hold the side.
func (o *operation) poll(cx *Context, s *side) (ended bool, err error) {
	was := cx.enter()
	ended, err = o.advance(cx, s)
	cx.exit(was)
	return ended, err
}

func (o *operation) advance(cx *Context, s *side) (ended bool, err error) {
	d := o.fd
	for {
		switch o.phase {
		case phaseIdle, phaseQueued, phaseHanded:
			if held, err := o.take(cx, s); !held {
				return err != nil, err
			}

		case phaseHolding:
			if err := d.usable(s); err != nil {
				o.finish(s)
				return true, err
			}
			if err := o.reason(cx); err != nil {
				o.finish(s)
				return o.giveUp(err)
			}
			if o.receives() && o.flows(cx.worker) || o.bypasses() {
				o.phase = phaseFlowing
				continue
			}
			if !o.submit(cx, s, o.code) {
				return false, nil
			}
			if o.ended(cx.worker) {
				return true, nil
			}

		case phaseEmpty:
			if !o.submit(cx, s, driver.Readable) {
				return false, nil
			}
			o.ended(cx.worker)

		case phaseInFlight:
			if o.op.State != 0 {
				if o.reason(cx) != nil {
					cx.worker.touch()
					cx.worker.drv.Cancel(o.op)
				}
				return false, nil
			}
			s.op = nil
			s.disarm(cx.worker)
			if o.ended(cx.worker) {
				return true, nil
			}

		case phaseFlowing:
			waits := o.awaitInflow(cx, s)
			if err := d.usable(s); err != nil {
				s.disarm(cx.worker)
				d.in.Load().waiter = nil
				o.finish(s)
				return true, err
			}
			if err := o.reason(cx); err != nil {
				s.disarm(cx.worker)
				d.in.Load().waiter = nil
				o.finish(s)
				return o.giveUp(err)
			}
			switch {
			case waits:
				return false, nil
			case !d.in.Load().pending():
				o.phase = phaseHolding // it was stopped
			case cx.proceed():
				return true, nil
			default:
				return false, nil
			}
		}
	}
}

// hold takes the side for o without having an operation begin. If it returns false with a nil
// error it waits; o's task will be woken.
func (o *operation) hold(cx *Context, s *side) (held bool, err error) {
	defer cx.exit(cx.enter())
	if held, err = o.take(cx, s); !held {
		return false, err
	}
	if err = o.fd.usable(s); err == nil {
		if err = o.reason(cx); err != nil {
			o.gaveUp = true
		}
	}
	if err != nil {
		o.finish(s)
		return false, err
	}
	return true, nil
}

// take carries o on to where it holds the side. Otherwise it waits, or may not go on.
func (o *operation) take(cx *Context, s *side) (held bool, err error) {
	d := o.fd
	switch o.phase {
	case phaseIdle:
		if err := o.reason(cx); err != nil {
			o.giveUp(err)
			return false, err
		}
		if !s.take(cx.worker) {
			o.task = cx.task
			waits, err := d.enqueue(s, o, cx.worker)
			if err != nil {
				return false, err
			}
			if waits {
				o.phase = phaseQueued
				return false, nil
			}
		}
	case phaseQueued:
		switch d.turnOf(o) {
		case turnWaiting:
			if err := o.reason(cx); err != nil && d.withdraw(s, o) {
				o.phase = phaseIdle
				o.giveUp(err)
				return false, err
			}
			return false, nil
		case turnDismissed:
			o.phase = phaseIdle
			return false, net.ErrClosed
		}
	case phaseHanded:
		s.holder.Store(cx.worker)
	}
	o.phase = phaseHolding
	return true, nil
}

// bypasses reports whether o, which takes bytes past the inflow, finds that there is one, or
// that it has left something.
func (o *operation) bypasses() bool {
	if o.code != driver.Readable {
		return false
	}
	in := o.fd.in.Load()
	return in != nil && (in.worker.Load() != nil || in.pending())
}

// receives reports whether o receives from a stream.
func (o *operation) receives() bool { return o.code == driver.Recv || o.code == driver.RecvLent }

// ownsOp reports whether op is the future's own.
func (o *operation) ownsOp() bool { return o.code == driver.RecvMsg || o.code == driver.SendMsg }

// submit hands an operation with the given code to the driver, and reports whether
// it has ended at once.
func (o *operation) submit(cx *Context, s *side, code driver.Code) bool {
	o.phase = phaseInFlight
	if !o.ownsOp() {
		o.op = cx.worker.ops.take()
	}
	op := o.op
	op.FD, op.Code, op.Buf, op.File = o.fd.sys, code, o.buf, o.place.args()
	if cx.submit(op) {
		return true
	}
	s.op = op
	s.arm(o.fd, cx.worker)
	return false
}

// ended reads the result of the driver operation and gives that back. It reports
// false if that was not the last one: the operation was cancelled, and must be
// considered afresh, as the deadline that was the reason may have been moved
// meanwhile; or it was a part of borrowing, which goes on.
func (o *operation) ended(w *worker) bool {
	op := o.op
	res, code := op.Res, op.Code
	o.phase = phaseHolding
	if o.ownsOp() {
		o.res = res
		return res != -int32(unix.ECANCELED)
	}
	switch {
	case res == -int32(unix.ECANCELED), code == driver.Readable && o.code == driver.RecvLent:
		w.ops.put(op)
		o.op = nil
		return false
	case code == driver.RecvLent:
		if res == -int32(unix.EAGAIN) {
			o.phase = phaseEmpty
			w.ops.put(op)
			o.op = nil
			return false
		}
		o.res = res
		return true // lent takes the rest
	}
	o.res = res
	w.ops.put(op)
	o.op = nil
	return true
}

// finish gives up the side.
func (o *operation) finish(s *side) {
	o.phase = phaseIdle
	o.buf = nil // the caller's memory is the caller's again
	o.fd.release(s)
}
