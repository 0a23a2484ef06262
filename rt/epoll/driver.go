//go:build linux

package epoll

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// Config sets up a driver. The zero value is right for a worker.
type Config struct {
	// Events is the most events collected by one system call; 0 means 256.
	Events int
	// Pool carries out operations that block. It may be shared, and must be there
	// until the driver has been closed. If it is nil the driver makes its own.
	Pool *blocking.Pool
}

const (
	defaultEvents = 256

	// opsPerTurn bounds the operations that one descriptor may end, in each
	// direction, in one Poll, so that a busy one does not starve the others.
	opsPerTurn = 16

	// interest is what a descriptor is registered for. EPOLLERR and EPOLLHUP
	// are always reported.
	interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLPRI | unix.EPOLLET

	// wakeFD stands for the waker's eventfd in event data.
	wakeFD = -1
)

// The states of an operation (Op.State).
const (
	idle       uint8 = iota // the submitter's
	waiting                 // in a queue
	connecting              // in a queue, and connect has been called
	ended                   // in the list of operations to deliver
	handed                  // in box
)

// Driver waits on an epoll set. It implements [driver.Driver].
type Driver struct {
	set    int32
	events []unix.EpollEvent
	table  table
	// pending is the number of operations in the queues of the table.
	pending int

	// Operations that have ended and are not yet delivered (E3).
	done        queue
	undelivered int

	// Descriptors that may have work left although no edge will say so.
	work     struct{ head, tail *desc }
	workLeft int

	// box has the operations that the pool carries out.
	box     blocking.Box
	ownPool *blocking.Pool // to be closed with the driver

	lender driver.Lender

	coarse bool // the kernel has no epoll_pwait2
	closed bool
	waker  waker
	count  counters
}

var _ driver.Driver = (*Driver)(nil)

// NewDriver makes a driver. It fails when the process has no descriptors left.
func NewDriver(cfg Config) (*Driver, error) {
	if cfg.Events < 0 {
		return nil, fmt.Errorf("epoll: negative number of events %d", cfg.Events)
	}
	if cfg.Events == 0 {
		cfg.Events = defaultEvents
	}
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: epoll_create1: %w", err)
	}
	efd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(set)
		return nil, fmt.Errorf("epoll: eventfd: %w", err)
	}
	d := &Driver{set: int32(set), events: make([]unix.EpollEvent, cfg.Events)}
	d.waker.fd = int32(efd)
	if cfg.Pool == nil {
		cfg.Pool = blocking.NewPool(0)
		d.ownPool = cfg.Pool
	}
	d.box.Init(cfg.Pool, d.waker.wake)
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: wakeFD}
	if errno := epollCtl(d.set, unix.EPOLL_CTL_ADD, d.waker.fd, &ev); errno != 0 {
		unix.Close(efd)
		unix.Close(set)
		return nil, fmt.Errorf("epoll: epoll_ctl: %w", errno)
	}
	d.count.Syscalls = 3
	d.count.publish()
	return d, nil
}

// Name returns "epoll".
func (d *Driver) Name() string { return "epoll" }

// InFlight is the number of operations submitted and not yet ended.
func (d *Driver) InFlight() int { return d.pending + d.undelivered + d.box.InFlight() }

// Counters returns the totals; any thread may ask.
func (d *Driver) Counters() driver.Counters { return d.count.read(d.waker.sent.Load()) }

// Wake ends the Wait that blocks now, or else the next one. Any thread may call
// it.
func (d *Driver) Wake() { d.waker.wake() }

// Submit starts op, and returns true if it has ended at once.
//
// After the driver has been closed, and while it is being closed, operations
// end with -ECANCELED, except that Close still closes the descriptor.
func (d *Driver) Submit(op *driver.Op) bool {
	if op.State != idle {
		panic("epoll: operation submitted while it is in flight")
	}
	d.count.Submitted++
	if needsFile(op) && !streams(op) {
		return d.startFile(op)
	}
	if d.start(op) {
		d.count.Completed++
		return true
	}
	d.pending++
	return false
}

// start reports whether op has ended, else it has put op into a queue.
func (d *Driver) start(op *driver.Op) bool {
	fd := op.FD.Sysfd
	e := d.table.at(fd)
	if e != nil && e.id != op.FD.ID {
		// The number means another opening by now, and whoever closed the one
		// that the entry knows did it elsewhere.
		d.forget(e)
		e = nil
	}

	switch op.Code {
	case driver.Nop:
		op.Res = 0
		return true
	case driver.RecvMany, driver.AcceptMany:
		// They would save nothing: the call for each result has to be made.
		op.Res = -int32(unix.EOPNOTSUPP)
		return true
	case driver.Close:
		if e != nil {
			d.forget(e)
		}
		d.close(op)
		return true
	}
	if d.closed {
		op.Res = -int32(unix.ECANCELED)
		return true
	}

	if op.Code == driver.RecvLent {
		d.lend(op, e)
		return true
	}
	if e == nil || e.flags&watched == 0 {
		if d.try(op, nil) {
			return true
		}
		var errno unix.Errno
		if e, errno = d.watch(op.FD); errno != 0 {
			op.State = idle
			op.Res = -int32(errno)
			return true
		}
		q, blocked := e.side(op.Code)
		e.flags |= blocked
		q.push(op)
		return false
	}

	q, blocked := e.side(op.Code)
	if q.head == nil && (e.flags&blocked == 0 || op.Code == driver.Connect) {
		// A connect is what makes its edges come, so it is called in any case.
		if d.try(op, e) {
			return true
		}
		e.flags |= blocked
	} else {
		op.State = waiting
	}
	q.push(op)
	return false
}

// watch adds the descriptor to the set. It is called right after a call on it
// has failed with EAGAIN; what has arrived since is reported as an edge (E1).
func (d *Driver) watch(fd driver.FD) (*desc, unix.Errno) {
	e := d.table.ensure(fd.Sysfd)
	e.id, e.fd = fd.ID, fd.Sysfd
	e.gen++
	ev := unix.EpollEvent{Events: interest, Fd: e.fd, Pad: int32(e.gen)}
	errno := epollCtl(d.set, unix.EPOLL_CTL_ADD, e.fd, &ev)
	d.count.Syscalls++
	if errno == unix.EEXIST {
		// The open file is in the set under this number already: the number
		// was closed and then made again from another descriptor of the same
		// file.
		errno = epollCtl(d.set, unix.EPOLL_CTL_MOD, e.fd, &ev)
		d.count.Syscalls++
	}
	if errno != 0 {
		return e, errno
	}
	e.flags = e.flags&scheduled | watched
	if p, errno := sockopt(e.fd, unix.SO_PROTOCOL); errno == 0 && p == unix.IPPROTO_TCP {
		e.flags |= draining
	}
	d.count.Syscalls++
	return e, 0
}

// forget ends what waits on the entry's descriptor, and makes the entry that of
// no opening (E2).
func (d *Driver) forget(e *desc) {
	for _, q := range []*queue{&e.in, &e.out} {
		for q.head != nil {
			op := q.pop()
			op.Res = -int32(unix.ECANCELED)
			d.end(op)
		}
	}
	e.gen++
	e.flags &= scheduled
}

// end moves op, which has left its queue with its result set, to the operations
// to deliver.
func (d *Driver) end(op *driver.Op) {
	d.pending--
	op.State = ended
	d.done.push(op)
	d.undelivered++
}

// Cancel ends op with -ECANCELED if it waits; the next Poll or Wait delivers it.
// What op waited for, bytes or a connection, stays with the descriptor.
func (d *Driver) Cancel(op *driver.Op) {
	if op.State == handed {
		d.cancelFile(op)
		return
	}
	if op.State != waiting && op.State != connecting {
		return
	}
	e := d.table.at(op.FD.Sysfd)
	q, _ := e.side(op.Code)
	first := q.head == op
	if !q.remove(op) {
		panic("epoll: operation in flight is in no queue: was it changed since Submit?")
	}
	d.count.Cancelled++
	op.Res = -int32(unix.ECANCELED)
	d.end(op)
	if first && q.head != nil {
		// The one behind it may be a connect that has not been called.
		d.schedule(e)
	}
}

// Poll delivers what has ended, without blocking.
func (d *Driver) Poll() int {
	d.resume()
	d.takeFiles()
	// Without operations in queues the events can wait in the set.
	if d.pending > 0 {
		n, _ := epollNow(d.set, d.events)
		d.count.Syscalls++
		d.collect(n)
	}
	return d.deliver()
}

// Wait is Poll, and blocks while nothing has ended, no longer than timeout. It
// returns early on a signal, and on an edge that does not end an operation.
func (d *Driver) Wait(timeout time.Duration) int {
	if timeout == 0 || d.undelivered > 0 || d.workLeft > 0 || d.closed || !d.waker.sleep() {
		return d.Poll()
	}
	d.box.GiveWay()
	d.count.Syscalls++
	d.count.Waits++
	d.count.publish()
	n := d.block(timeout)
	d.waker.rise()
	d.takeFiles()
	d.collect(n)
	return d.deliver()
}

// block waits in the kernel and returns the number of events, 0 on a signal.
func (d *Driver) block(timeout time.Duration) int {
	if timeout > 0 && !d.coarse {
		n, errno := epollWait2(d.set, d.events, timeout)
		switch errno {
		case 0:
			return n
		case unix.ENOSYS, unix.EPERM: // an old kernel, or a filter that does not know the call
			d.coarse = true
			d.count.Syscalls++
		default:
			return 0
		}
	}
	n, errno := epollWait(d.set, d.events, milliseconds(timeout))
	if errno != 0 {
		return 0
	}
	return n
}

// milliseconds rounds up, so that a Wait never ends before its time just to be
// called again for the rest.
func milliseconds(d time.Duration) int32 {
	if d < 0 {
		return -1
	}
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return int32(min(ms, math.MaxInt32))
}

// collect acts on the first n events.
func (d *Driver) collect(n int) {
	for i := range max(n, 0) {
		ev := &d.events[i]
		if ev.Fd == wakeFD {
			continue
		}
		e := d.table.at(ev.Fd)
		if e == nil || e.flags&watched == 0 || e.gen != uint32(ev.Pad) {
			continue // E2
		}
		if ev.Events&(unix.EPOLLIN|unix.EPOLLPRI|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			e.flags &^= inBlocked
		}
		if ev.Events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			e.flags &^= outBlocked
		}
		if ev.Events&(unix.EPOLLPRI|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			e.flags &^= draining
		}
		d.run(e)
	}
}

// schedule puts e on the list of descriptors with work left, once.
func (d *Driver) schedule(e *desc) {
	if e.flags&scheduled != 0 {
		return
	}
	e.flags |= scheduled
	e.next = nil
	if d.work.tail == nil {
		d.work.head = e
	} else {
		d.work.tail.next = e
	}
	d.work.tail = e
	d.workLeft++
}

// resume goes on with the descriptors that had work left before this turn.
func (d *Driver) resume() {
	for n := d.workLeft; n > 0; n-- {
		e := d.work.head
		d.work.head = e.next
		if d.work.head == nil {
			d.work.tail = nil
		}
		d.workLeft--
		e.next = nil
		e.flags &^= scheduled
		if q := e.out.head; q != nil && q.Code == driver.Connect {
			e.flags &^= outBlocked
		}
		d.run(e)
	}
}

// run tries the operations that wait on e, in both directions.
func (d *Driver) run(e *desc) {
	d.runSide(e, &e.in, inBlocked)
	d.runSide(e, &e.out, outBlocked)
}

func (d *Driver) runSide(e *desc, q *queue, blocked flags) {
	for n := 0; q.head != nil && e.flags&blocked == 0; n++ {
		if n == opsPerTurn {
			d.schedule(e)
			return
		}
		switch op := q.head; op.Code {
		case driver.Readable, driver.Writable:
			op.Res = 0 // an edge has said so
		default:
			if !d.try(op, e) {
				e.flags |= blocked
				return
			}
		}
		d.end(q.pop())
	}
}

// deliver tells the owners of what had ended by now. What their calls end is
// for the next turn.
func (d *Driver) deliver() int {
	n := d.undelivered
	for range n {
		op := d.done.pop()
		d.undelivered--
		d.count.Completed++
		op.State = idle
		op.Owner.Complete(op)
	}
	d.count.publish()
	return n
}

// Close ends what waits with -ECANCELED, waits for the calls that block, delivers
// it all, and releases the set. The kernel holds no buffer between calls.
func (d *Driver) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	for _, p := range d.table.pages {
		if p == nil {
			continue
		}
		for i := range p {
			d.forget(&p[i])
		}
	}
	d.box.CancelAll(func(op *driver.Op) {
		op.Res = -int32(unix.ECANCELED)
		d.settle(op)
	})
	for d.undelivered > 0 || d.box.InFlight() > 0 {
		d.takeFiles()
		if d.deliver() == 0 {
			d.box.Await()
		}
	}
	if d.ownPool != nil {
		d.ownPool.Close()
	}
	d.waker.shutdown()
	d.count.Syscalls += 2
	errno := closeFD(d.waker.fd)
	if e := closeFD(d.set); errno == 0 {
		errno = e
	}
	d.count.publish()
	if errno != 0 {
		return fmt.Errorf("epoll: close: %w", errno)
	}
	return nil
}
