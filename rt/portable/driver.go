// Package portable is a driver (see package driver) over what every Go system
// has: goroutines, and the poller of the Go runtime. It is there so that programs
// can be developed and tested on systems that have neither io_uring nor epoll. It
// is right, and slow.
//
// What blocks is done by a pool of goroutines (package blocking). On Linux, sockets
// and other things that can be waited for are tried on the driver's thread; for one
// that has to wait, a goroutine waits in the Go runtime's poller until it is ready
// (wait_linux.go), and then it is tried again. On other systems package rt makes
// its sockets with package net, and gives them no operations of a driver's.
package portable

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// The states of an operation (Op.State), besides those that callers has.
const (
	idle     uint8 = 0
	ended    uint8 = 0x80 + iota // in the list of operations to deliver
	handed                       // in box
	watching                     // somebody waits for its descriptor; see waits
)

// Driver is a driver without a system's help. It implements [driver.Driver].
type Driver struct {
	box     blocking.Box
	ownPool *blocking.Pool // to be closed with the driver
	waits   waits

	// Operations that have ended and are not yet delivered.
	done struct {
		head, tail *driver.Op
		n          int
	}

	woken  chan struct{} // has room for one
	wakes  atomic.Uint64
	timer  *time.Timer
	closed bool

	mu    sync.Mutex // guards total, which others read
	total driver.Counters
	count driver.Counters
}

var _ driver.Driver = (*Driver)(nil)

// Config sets up a driver. The zero value is right for a worker.
type Config struct {
	// Pool carries out operations that block. It may be shared, and must be there
	// until the driver has been closed. If it is nil the driver makes its own.
	Pool *blocking.Pool
}

// NewDriver makes a driver.
func NewDriver(cfg Config) *Driver {
	d := &Driver{woken: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	d.timer.Stop()
	if cfg.Pool == nil {
		cfg.Pool = blocking.NewPool(0)
		d.ownPool = cfg.Pool
	}
	d.box.Init(cfg.Pool, d.rouse)
	d.waits.init(d.rouse)
	return d
}

// Name returns "portable".
func (d *Driver) Name() string { return "portable" }

// InFlight is the number of operations submitted and not yet ended.
func (d *Driver) InFlight() int { return d.box.InFlight() + d.waits.n + d.done.n }

// Counters returns the totals; any thread may ask.
func (d *Driver) Counters() driver.Counters {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.total
	// A wake-up is made by the Go scheduler, at the price of a system call.
	c.Wakes = d.wakes.Load()
	c.Syscalls += c.Wakes
	return c
}

func (d *Driver) publish() {
	d.mu.Lock()
	d.total = d.count
	d.mu.Unlock()
}

// Wake ends the Wait that blocks now, or else the next one. Any thread may call
// it.
func (d *Driver) Wake() {
	d.wakes.Add(1)
	d.rouse()
}

// rouse is Wake for what the driver itself has begun.
func (d *Driver) rouse() {
	select {
	case d.woken <- struct{}{}:
	default:
	}
}

// Submit starts op, and returns true if it has ended at once.
//
// After the driver has been closed, and while it is being closed, operations
// end with -ECANCELED, except that Close still closes the descriptor.
func (d *Driver) Submit(op *driver.Op) bool {
	if op.State != idle {
		panic("portable: operation submitted while it is in flight")
	}
	d.count.Submitted++
	if d.start(op) {
		d.count.Completed++
		return true
	}
	return false
}

// start reports whether op has ended.
func (d *Driver) start(op *driver.Op) bool {
	switch {
	case op.Code == driver.Nop:
		op.Res = 0
		return true
	case op.Code == driver.Close:
		d.waits.cancelAll(op.FD)
		op.Res = blocking.Perform(op)
		return true
	case d.closed:
		op.Res = -int32(syscall.ECANCELED)
		return true
	case op.Code >= driver.Read && op.File.Flags&driver.Stream == 0, op.Code > driver.Write:
		op.State = handed
		d.box.Start(op)
		return false
	}
	return d.waits.start(op)
}

// Cancel ends op if nobody has begun with it, and else has it end soon if it waits
// for a descriptor.
func (d *Driver) Cancel(op *driver.Op) {
	switch op.State {
	case handed:
		d.count.Cancelled++
		if d.box.Cancel(op) {
			d.end(op, -int32(syscall.ECANCELED))
		}
	case idle, ended:
	default:
		d.count.Cancelled++
		d.waits.cancel(op)
	}
}

// end adds op to the operations to deliver.
func (d *Driver) end(op *driver.Op, res int32) {
	op.State, op.Res, op.Next = ended, res, nil
	if d.done.tail == nil {
		d.done.head = op
	} else {
		d.done.tail.Next = op
	}
	d.done.tail = op
	d.done.n++
}

// collect moves what has ended elsewhere to the operations to deliver.
func (d *Driver) collect() {
	for op := d.box.Take(); op != nil; {
		next := op.Next
		d.end(op, op.Res)
		op = next
	}
	d.waits.collect(d.end)
}

// Poll delivers what has ended, without blocking.
func (d *Driver) Poll() int {
	d.collect()
	return d.deliver()
}

// deliver tells the owners of what had ended by now. What their calls end is
// for the next turn.
func (d *Driver) deliver() int {
	n := d.done.n
	for range n {
		op := d.done.head
		d.done.head = op.Next
		if d.done.head == nil {
			d.done.tail = nil
		}
		d.done.n--
		d.count.Completed++
		op.Next, op.State = nil, idle
		op.Owner.Complete(op)
	}
	d.publish()
	return n
}

// Wait is Poll, and blocks while nothing has ended, no longer than timeout.
func (d *Driver) Wait(timeout time.Duration) int {
	if n := d.Poll(); n > 0 || timeout == 0 || d.closed || d.done.n > 0 {
		return n
	}
	d.count.Waits++
	d.count.Syscalls++
	if timeout < 0 {
		<-d.woken
	} else {
		d.timer.Reset(timeout)
		select {
		case <-d.woken:
		case <-d.timer.C:
		}
		d.timer.Stop()
	}
	return d.Poll()
}

// Close cancels what is in flight, waits for what cannot be cancelled, and
// delivers it all.
func (d *Driver) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	d.box.CancelAll(func(op *driver.Op) { d.end(op, -int32(syscall.ECANCELED)) })
	d.waits.cancelAll(driver.FD{})
	for d.InFlight() > 0 {
		if d.Poll() == 0 {
			<-d.woken
		}
	}
	if d.ownPool != nil {
		d.ownPool.Close()
	}
	return nil
}
