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
//	idle -> queued -> holding <-> inFlight
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
	op    *driver.Op  // in flight
	buf   []byte      // Op.Buf
	msg   *driver.Msg // Op.Msg
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
	d := o.fd
	for {
		switch o.phase {
		case phaseIdle:
			if err := o.reason(cx); err != nil {
				return o.giveUp(err)
			}
			if !s.take(cx.worker) {
				o.task = cx.task
				waits, err := d.enqueue(s, o, cx.worker)
				if err != nil {
					return true, err
				}
				if waits {
					o.phase = phaseQueued
					return false, nil
				}
			}
			o.phase = phaseHolding

		case phaseQueued:
			switch d.turnOf(o) {
			case turnWaiting:
				if err := o.reason(cx); err != nil && d.withdraw(s, o) {
					o.phase = phaseIdle
					return o.giveUp(err)
				}
				return false, nil
			case turnDismissed:
				o.phase = phaseIdle
				return true, net.ErrClosed
			}
			o.phase = phaseHolding

		case phaseHanded:
			s.holder.Store(cx.worker)
			o.phase = phaseHolding

		case phaseHolding:
			if err := d.usable(s); err != nil {
				o.finish(s)
				return true, err
			}
			if err := o.reason(cx); err != nil {
				o.finish(s)
				return o.giveUp(err)
			}
			o.phase = phaseInFlight
			op := cx.worker.ops.take()
			op.FD, op.Code, op.Buf, op.Msg, op.File = d.sys, o.code, o.buf, o.msg, o.place.args()
			o.op = op
			if !cx.submit(op) {
				s.op = op
				s.arm(d, cx.worker)
				return false, nil
			}
			if o.ended(cx.worker) {
				return true, nil
			}

		case phaseInFlight:
			if o.op.State != 0 {
				if o.reason(cx) != nil {
					cx.worker.drv.Cancel(o.op)
				}
				return false, nil
			}
			s.op = nil
			s.disarm(cx.worker)
			if o.ended(cx.worker) {
				return true, nil
			}
		}
	}
}

// ended reads the result of the driver operation and gives that back. It reports
// false if it was cancelled, so that it must be considered afresh: the
// deadline that was the reason may have been moved meanwhile.
func (o *operation) ended(w *worker) bool {
	o.phase = phaseHolding
	o.res = o.op.Res
	w.ops.put(o.op)
	o.op = nil
	return o.res != -int32(unix.ECANCELED)
}

// finish gives up the side.
func (o *operation) finish(s *side) {
	o.phase = phaseIdle
	o.buf = nil // the caller's memory is the caller's again
	o.fd.release(s)
}
