//go:build linux

package uring

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Operations on files are requests to the ring like others: what is in memory is
// read and written at once, and what has to wait does so in the kernel, on
// threads of the ring's own where there is no other way. Those that no ring
// can do, and those that the ring of this kernel cannot do, go to a pool of threads.

// needsThread reports whether op has to go to the pool.
func (d *Driver) needsThread(op *driver.Op) bool {
	return op.Code > driver.Write
}

// takeHanded ends the operations that the pool has carried out, and returns how
// many there were.
func (d *Driver) takeHanded() int {
	n := 0
	for op := d.box.Take(); op != nil; n++ {
		next := op.Next
		op.Next = nil
		d.endHanded(op, op.Res)
		op = next
	}
	return n
}

// cancelHanded takes op back from the pool, if that has not begun with it, and
// ends it in the next turn.
func (d *Driver) cancelHanded(op *driver.Op) {
	if d.box.Cancel(op) {
		op.Res = -int32(unix.ECANCELED)
		d.box.Return(op)
	}
}

func (d *Driver) endHanded(op *driver.Op, res int32) {
	d.inFlight--
	d.completed++
	op.State = 0
	op.Res = res
	op.Owner.Complete(op)
}
