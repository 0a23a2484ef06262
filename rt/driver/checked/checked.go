//go:build linux

// Package checked makes a driver that watches another one, and whoever uses it, for the
// rules of package driver. It panics when one is broken, with the rule's number.
// Workers use it when they are built with the tag cogen_invariants.
package checked

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Driver passes everything on to another driver and checks what comes and goes.
type Driver struct {
	driver.Driver
	flying map[*driver.Op]*flight
	spare  []*flight
	// thread is the one that has called, while depth is not 0.
	thread, depth int
	delivering    bool
}

// New returns a driver that checks d.
func New(d driver.Driver) *Driver {
	return &Driver{Driver: d, flying: make(map[*driver.Op]*flight)}
}

// Unwrap returns the driver that is checked.
func (d *Driver) Unwrap() driver.Driver { return d.Driver }

// A flight is an operation on its way: what it was when it was submitted. It stands in for
// the operation's owner.
type flight struct {
	d     *Driver
	owner driver.Owner
	fd    driver.FD
	buf   []byte
	file  *driver.FileArgs
	msg   *driver.Msg
	code  driver.Code
}

// broken reports that a rule was broken.
func broken(rule int, op *driver.Op, what string) {
	panic(fmt.Sprintf("driver rule %d: %s: operation %d on descriptor %d (%d), result %d",
		rule, what, op.Code, op.FD.Sysfd, op.FD.ID, op.Res))
}

// enter begins a call. Those from within a completion are on the thread of the outer one.
func (d *Driver) enter() {
	thread := unix.Gettid()
	if d.depth > 0 && thread != d.thread {
		panic(fmt.Sprintf("driver rule 1: used by thread %d amidst a call by thread %d", thread, d.thread))
	}
	d.thread = thread
	d.depth++
}

func (d *Driver) leave() { d.depth-- }

// Submit implements [driver.Driver].
func (d *Driver) Submit(op *driver.Op) bool {
	d.enter()
	defer d.leave()
	if op.State != 0 || d.flying[op] != nil {
		broken(2, op, "submitted while it is in flight")
	}
	if op.Lent != nil {
		broken(7, op, "submitted with a buffer that nobody has taken over")
	}
	f := d.take()
	f.owner, f.fd, f.buf, f.code, f.file, f.msg = op.Owner, op.FD, op.Buf, op.Code, op.File, op.Msg
	board(op)
	d.flying[op] = f
	op.Owner = f
	if !d.Driver.Submit(op) {
		return false
	}
	d.land(op, f)
	if op.More {
		broken(6, op, "ended in Submit, and is to bring more")
	}
	return true
}

// Complete implements [driver.Owner].
func (f *flight) Complete(op *driver.Op) {
	d := f.d
	if !d.delivering {
		broken(3, op, "completed outside Poll, Wait and Close")
	}
	if d.flying[op] != f {
		broken(3, op, "ended again")
	}
	owner := f.owner
	if op.More {
		if op.Code != driver.RecvMany && op.Code != driver.AcceptMany {
			broken(6, op, "repeats")
		}
		if op.State == 0 {
			broken(6, op, "is to bring more, and is not in flight")
		}
		f.unchanged(op)
	} else {
		d.land(op, f)
	}
	owner.Complete(op)
}

// land checks an operation that has ended, and lets its submitter have it back.
func (d *Driver) land(op *driver.Op, f *flight) {
	if op.State != 0 {
		broken(3, op, "ended, and is in flight")
	}
	f.unchanged(op)
	unboard(op)
	op.Owner = f.owner
	delete(d.flying, op)
	*f = flight{d: d}
	d.spare = append(d.spare, f)
}

// unchanged checks that the submitter has left the operation alone, and what it brought.
func (f *flight) unchanged(op *driver.Op) {
	if op.FD != f.fd || op.Code != f.code || op.File != f.file || op.Msg != f.msg || op.Owner != f || !same(op.Buf, f.buf) {
		broken(2, op, "changed while it was in flight")
	}
	lends := (op.Code == driver.RecvMany || op.Code == driver.RecvLent) && op.Res > 0
	if lends != (op.Lent != nil) {
		broken(7, op, "has a buffer that it should not have, or has none")
	}
	if op.Lent != nil && len(op.Lent.Data) != int(op.Res) {
		broken(7, op, "has another length than its buffer")
	}
	switch op.Code {
	case driver.Recv, driver.Send:
		if int(op.Res) > len(f.buf) {
			broken(5, op, "moved more than there was room for")
		}
	}
}

// same reports whether a and b are the same memory.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (d *Driver) take() *flight {
	if n := len(d.spare) - 1; n >= 0 {
		f := d.spare[n]
		d.spare = d.spare[:n]
		return f
	}
	return &flight{d: d}
}

// Cancel implements [driver.Driver].
func (d *Driver) Cancel(op *driver.Op) {
	d.enter()
	defer d.leave()
	d.Driver.Cancel(op)
}

// Poll implements [driver.Driver].
func (d *Driver) Poll() int {
	d.deliver()
	defer d.delivered()
	n := d.Driver.Poll()
	d.count()
	return n
}

// Wait implements [driver.Driver].
func (d *Driver) Wait(timeout time.Duration) int {
	d.deliver()
	defer d.delivered()
	n := d.Driver.Wait(timeout)
	d.count()
	return n
}

// deliver begins a call that may tell owners.
func (d *Driver) deliver() {
	d.enter()
	if d.delivering {
		panic("driver rule 3: Poll, Wait or Close called in a completion")
	}
	d.delivering = true
}

// delivered ends it, also when an owner panics.
func (d *Driver) delivered() {
	d.delivering = false
	d.leave()
}

// count compares what the driver has with what was submitted.
func (d *Driver) count() {
	if n := d.Driver.InFlight(); n != len(d.flying) {
		panic(fmt.Sprintf("driver rule 3: %d operations are in flight, the driver knows %d", len(d.flying), n))
	}
}

// Close implements [driver.Driver].
func (d *Driver) Close() error {
	d.deliver()
	defer d.delivered()
	err := d.Driver.Close()
	for op := range d.flying {
		broken(3, op, "left behind by Close")
	}
	return err
}
