//go:build linux

package uring

import (
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// stubbornDelay is how long a sleeping driver leaves a request alone that could
// not be cancelled before it tries again.
const stubbornDelay = time.Millisecond

// Cancel asks that op end early.
//
// The cancellation is an entry of its own, behind op's in the queue, and the
// kernel takes entries in order, so it finds op's request whether or not that
// had been submitted before. The operation ends by its own completion, as ever;
// that of the cancellation is only looked at when it failed.
func (d *Driver) Cancel(op *driver.Op) {
	if op.State == 0 || op.State&cancelling != 0 || op.Code == driver.Close {
		return
	}
	d.cancelled++
	op.State |= cancelling
	if op.State&handed != 0 {
		d.cancelHanded(op)
		return
	}
	if op.State&inBacklog != 0 {
		return // startBacklog ends it
	}
	d.cancel(d.slots.key(op.Slot))
}

// cancel queues a cancellation of the request with key k.
func (d *Driver) cancel(k key) {
	e := d.entry()
	if e == nil {
		d.stubborn = append(d.stubborn, k)
		return
	}
	e.PrepCancel(uint64(k))
	e.UserData = uint64(k&^kindMask | kindCancel)
	if d.ring.info.Features&FeatCQESkip != 0 {
		e.Flags = SQECQESkipSuccess
	}
}

// cancelCompleted handles the completion of a cancellation.
//
// When it failed, its request has usually completed already, and since that
// completion came first, the slot is free by now. Else the request was in a
// kernel thread's hands (EALREADY), which may or may not end it: the kernel's
// interruption is lost if the thread was just about to go back to polling. So it
// is tried again until the operation has ended.
func (d *Driver) cancelCompleted(k key, res int32) {
	if res < 0 && d.slots.lookup(k) != nil {
		d.stubborn = append(d.stubborn, k&^kindMask|kindOp)
	}
}

// takeStubborn returns the requests to cancel again at the end of this turn.
// There are almost never any.
func (d *Driver) takeStubborn() []key {
	s := d.stubborn
	d.stubborn = nil
	return s
}

// cancelAgain cancels those of ks that are still in flight. It is called after
// the turn has waited, so that the kernel had some time to finish by itself.
func (d *Driver) cancelAgain(ks []key) {
	for _, k := range ks {
		if op := d.slots.lookup(k); op != nil && op.State&inBacklog == 0 {
			d.cancel(k)
		}
	}
}
