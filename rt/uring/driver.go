//go:build linux

package uring

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// Driver waits on a ring. It keeps the rules of package driver.
//
// Submit writes an entry into the submission queue, in shared memory, and makes
// no system call; the next Poll or Wait hands everything over in one, and reaps
// in the same. An operation is in one of these places, recorded in Op.State:
//
//   - the ring: an entry for it is in the submission queue or the kernel has
//     its request. Exactly one completion with its key will come, whether or not
//     it is cancelled, because the kernel completes every request once.
//   - the backlog: the submission queue was full and the kernel would not take
//     anything just then. The next turn starts it.
//
// Operations in either place have a slot (slots.go), so how many there can be is
// bounded by memory, not by the sizes of the queues.
type Driver struct {
	ring  *Ring
	slots slotTable
	waker waker

	// reaped[at:n] are completions taken from the ring and not yet
	// delivered. They are kept here, not on the stack, so that an owner that
	// panics loses only its own.
	reaped [64]CQE
	at, n  int

	// backlog is a queue through Op.Next.
	backlog struct{ head, tail *driver.Op }

	// stubborn are requests that a cancellation did not end, see cancel.go.
	stubborn []key

	// box has the operations that the pool carries out, see file.go.
	box     blocking.Box
	ownPool *blocking.Pool // to be closed with the driver

	seeks uint64 // system calls to move positions of files

	stock  stock // of buffers to lend
	doubts doubts

	direct    uint64 // system calls of operations that Submit ends
	inFlight  int
	submitted uint64
	completed uint64
	cancelled uint64
	published published
	closed    bool // Close has begun
}

// The bits of Op.State. 0 means that the operation is not in flight.
const (
	inFlight   = 1 << iota
	inBacklog  // waits in Driver.backlog for room in the ring
	cancelling // Cancel has been called
	polling    // its request in the ring is a poll, after which it is tried again
	handed     // it is in Driver.box, not in the ring
	doubted    // it is in Driver.doubts
	heard      // it has brought more since it came there
)

// neededOps are the operations that the driver relies on.
var neededOps = [...]Opcode{OpNop, OpRecv, OpSend, OpAccept, OpConnect, OpClose, OpPollAdd, OpAsyncCancel}

// NewDriver sets up a ring and a driver on it. Errors are those of New; they
// mean that io_uring cannot be used here and another driver should be.
//
// It may be called on any thread: the first use of the ring is by the first
// Poll or Wait.
func NewDriver(cfg Config) (*Driver, error) {
	ring, err := New(cfg)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, op := range neededOps {
		if !ring.Supports(op) {
			missing = append(missing, op.String())
		}
	}
	if missing != nil {
		ring.Close()
		return nil, fmt.Errorf("uring: the kernel lacks the operations %s: %w", strings.Join(missing, ", "), unix.ENOSYS)
	}
	// Left alone the kernel makes a thread for every request that blocks one, as far as
	// RLIMIT_NPROC goes. An old kernel without such limits has the others, too.
	_, _, _ = ring.LimitWorkers(0, blocking.DefaultLimit)
	d := &Driver{ring: ring}
	if err := d.waker.open(ring, cfg.noMsgRing); err != nil {
		ring.Close()
		return nil, err
	}
	if cfg.Pool == nil {
		cfg.Pool = blocking.NewPool(0)
		d.ownPool = cfg.Pool
	}
	d.box.Init(cfg.Pool, d.waker.wake)
	return d, nil
}

// Name returns "uring".
func (d *Driver) Name() string { return "uring" }

// Info describes the driver's ring.
func (d *Driver) Info() Info { return d.ring.Info() }

// Submit queues op. It makes a system call only when the submission queue is
// full. It returns true only after Close, with -ECANCELED.
func (d *Driver) Submit(op *driver.Op) bool {
	d.submitted++
	if d.closed {
		d.completed++
		op.Res = -int32(unix.ECANCELED)
		return true
	}
	if d.endsNow(op) {
		d.completed++
		return true
	}
	raceSubmit(op)
	d.inFlight++
	if d.needsThread(op) {
		op.State = inFlight | handed
		d.box.Start(op)
		return false
	}
	op.State = inFlight
	op.Slot = d.slots.take(op)
	// What is in the backlog goes first.
	if d.backlog.head != nil || !d.start(op) {
		d.postpone(op)
	}
	return false
}

// start writes the entry for op. It returns false if there is no room.
func (d *Driver) start(op *driver.Op) bool {
	e := d.entry()
	if e == nil {
		return false
	}
	fd := op.FD.Sysfd
	switch {
	case op.State&polling != 0:
		e.PrepPollAdd(fd, readiness(op.Code), 0)
	case op.Code == driver.Recv:
		e.PrepRecv(fd, op.Buf, 0)
	case op.Code == driver.Send:
		e.PrepSend(fd, op.Buf, unix.MSG_NOSIGNAL)
	case op.Code == driver.Accept:
		e.PrepAccept(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	case op.Code == driver.Connect:
		e.PrepConnect(fd, op.Buf)
	case op.Code == driver.Close:
		e.PrepClose(fd)
	case op.Code == driver.RecvMany:
		e.PrepRecvMultishot(fd, d.stock.ring.Group(), 0)
		// There is seldom something to receive already.
		e.IOPrio |= RecvSendPollFirst
	case op.Code == driver.AcceptMany:
		e.PrepAcceptMultishot(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	case op.Code == driver.RecvMsg:
		e.PrepRecvmsg(fd, op.Raw(), unix.MSG_CMSG_CLOEXEC)
	case op.Code == driver.SendMsg:
		e.PrepSendmsg(fd, op.Raw(), unix.MSG_NOSIGNAL)
	case op.Code == driver.Readable, op.Code == driver.Writable:
		e.PrepPollAdd(fd, readiness(op.Code), 0)
	case op.Code == driver.Nop:
		e.PrepNop()
	case op.Code >= driver.Read:
		e.prepFile(op)
		if tracked(op) {
			d.seek(e, op)
		}
	default:
		panic(fmt.Sprintf("uring: operation with unknown code %d", op.Code))
	}
	e.UserData = uint64(d.slots.key(op.Slot))
	return true
}

// entry returns a submission queue entry, flushing the queue if it is full, or
// nil if the kernel takes nothing now.
func (d *Driver) entry() *SQE {
	e := d.ring.entry()
	if e == nil {
		d.check(d.ring.Submit())
		e = d.ring.entry()
	}
	return e
}

// check looks at the error of an enter. It means that the ring is unusable, and with
// it the promise that every operation ends, so there is no way to go on.
func (d *Driver) check(err error) {
	if err != nil {
		panic(fmt.Errorf("uring: io_uring_enter: %w", err))
	}
}

// postpone puts op at the end of the backlog.
func (d *Driver) postpone(op *driver.Op) {
	op.State |= inBacklog
	op.Next = nil
	if d.backlog.tail == nil {
		d.backlog.head = op
	} else {
		d.backlog.tail.Next = op
	}
	d.backlog.tail = op
}

// startBacklog starts what is in the backlog, as far as there is room, and ends
// what was cancelled there. It returns how many operations it ended.
func (d *Driver) startBacklog() int {
	ended := 0
	for d.backlog.head != nil {
		op := d.backlog.head
		if op.State&cancelling == 0 && !d.start(op) {
			break
		}
		d.backlog.head = op.Next
		if d.backlog.head == nil {
			d.backlog.tail = nil
		}
		op.Next = nil
		op.State &^= inBacklog
		if op.State&cancelling != 0 {
			d.end(op, -int32(unix.ECANCELED))
			ended++
		}
	}
	return ended
}

// Poll submits what is queued and delivers what has completed. Without either it
// makes no system call.
func (d *Driver) Poll() int {
	if d.closed {
		return 0
	}
	n := d.turn()
	d.publish()
	return n
}

// turn is Poll.
func (d *Driver) turn() int {
	d.settleNowAndThen()
	stubborn := d.takeStubborn()
	d.stock.restock()
	n := d.startBacklog()
	if d.ring.unsubmitted() || d.ring.NeedsEnter() {
		d.check(d.ring.Submit())
	}
	n += d.deliver() + d.takeHanded()
	d.cancelAgain(stubborn)
	return n
}

// Wait submits what is queued, waits for a completion and delivers what there
// is.
func (d *Driver) Wait(timeout time.Duration) int {
	if d.closed {
		return 0
	}
	n := d.wait(timeout)
	d.publish()
	return n
}

func (d *Driver) wait(timeout time.Duration) int {
	if timeout == 0 || d.backlog.head != nil || d.at < d.n || d.ring.Ready() > 0 {
		return d.turn()
	}
	d.stock.restock()
	timeout = d.untilDoubts(timeout)
	stubborn := d.takeStubborn()
	if len(stubborn) > 0 && (timeout < 0 || timeout > stubbornDelay) {
		timeout = stubbornDelay
	}
	d.box.GiveWay()
	var err error
	if d.waker.sleep() {
		err = d.ring.Wait(1, timeout)
		d.waker.awake()
	} else if d.ring.unsubmitted() || d.ring.NeedsEnter() {
		err = d.ring.Submit()
	}
	d.check(err)
	n := d.deliver() + d.takeHanded()
	d.cancelAgain(stubborn)
	return n
}

// Wake makes Wait return. It makes a system call only if the driver's thread
// sleeps in Wait and nobody has woken it yet.
func (d *Driver) Wake() { d.waker.wake() }

// InFlight returns the number of operations submitted and not ended.
func (d *Driver) InFlight() int { return d.inFlight }

// deliver takes completions from the ring and ends their operations. It stops
// after about as many as the ring holds, lest operations that complete at once
// and are submitted again by their owners keep it forever.
func (d *Driver) deliver() int {
	ended := 0
	for limit := len(d.ring.cqes); ; limit -= d.n {
		for d.at < d.n {
			c := d.reaped[d.at]
			d.at++
			if d.complete(c) {
				ended++
			}
		}
		if limit <= 0 {
			return ended
		}
		d.at, d.n = 0, 0
		if d.n = d.ring.Reap(d.reaped[:]); d.n == 0 {
			return ended
		}
	}
}

// complete handles one completion. It returns true if it told an owner.
func (d *Driver) complete(c CQE) bool {
	k, res := key(c.UserData), c.Res
	switch k & kindMask {
	case kindCancel:
		d.cancelCompleted(k, res)
		return false
	case kindWake:
		d.waker.completed(c.Flags)
		return false
	}
	op := d.slots.lookup(k)
	if op == nil {
		panic(fmt.Sprintf("uring: completion %d for key %#x, which nobody waits for", res, uint64(k)))
	}
	if op.State&polling != 0 {
		op.State &^= polling
		if res >= 0 {
			res = -int32(unix.EINTR) // ready, now for the operation itself
		}
	} else {
		res = d.fetch(op, c)
		if c.More() {
			if op.Code == driver.RecvMany {
				d.doubt(op)
			}
			d.bring(op, res)
			return true
		}
	}
	switch res {
	case -int32(unix.EAGAIN), -int32(unix.EINTR), -int32(unix.ECANCELED):
		if op.State&cancelling != 0 {
			res = -int32(unix.ECANCELED)
			break
		}
		if !repeatable(op, res) {
			break
		}
		if res == -int32(unix.EAGAIN) {
			op.State |= polling
		}
		if !d.start(op) {
			d.postpone(op)
		}
		return false
	}
	d.end(op, res)
	return true
}

// repeatable says whether an operation whose request completed for no reason of
// its own has moved nothing and is to be tried again.
//
// EAGAIN: the kernel polls a socket that is not ready by itself, non-blocking or
// not, so on recent kernels a request hardly ever completes like this. But until
// Linux 5.17 an accept on a non-blocking socket did at once; and all versions stop
// polling when a request has been woken in vain too often (APOLL_MAX_RETRY) and
// give it to a kernel thread, where it may. The driver then polls itself.
//
// EINTR: such a kernel thread was interrupted, which a cancellation does.
//
// ECANCELED, though nobody has asked for it: the thread that had submitted the
// request has exited, and another has taken the driver over.
//
// An operation on a file is not tried again after EAGAIN, unless the file is a
// stream: that is then the answer of something that cannot be waited for.
func repeatable(op *driver.Op, res int32) bool {
	switch op.Code {
	case driver.Recv, driver.Send, driver.Accept, driver.RecvMany, driver.AcceptMany,
		driver.RecvMsg, driver.SendMsg, driver.Readable, driver.Writable:
		return true
	case driver.Read, driver.Write:
		return op.File.Flags&driver.Stream != 0 || res != -int32(unix.EAGAIN)
	}
	return op.File != nil && res != -int32(unix.EAGAIN)
}

// readiness is the event that an operation with code c waits for.
func readiness(c driver.Code) uint32 {
	switch c {
	case driver.Send, driver.SendMsg, driver.Writable, driver.Write:
		return unix.POLLOUT
	}
	return unix.POLLIN
}

// bring tells op's owner about a result before the last one.
func (d *Driver) bring(op *driver.Op, res int32) {
	op.Res, op.More = res, true
	op.Owner.Complete(op)
}

// end ends op with res and tells its owner.
func (d *Driver) end(op *driver.Op, res int32) {
	d.slots.release(op.Slot)
	d.inFlight--
	d.completed++
	op.State = 0
	op.Res, op.More = res, false
	if res > 0 && tracked(op) {
		d.advance(op)
	}
	raceComplete(op)
	op.Owner.Complete(op)
}

// Close cancels all operations, waits until all have ended, and releases the
// ring. Operations submitted by owners meanwhile end at once with -ECANCELED.
// After Close every method is harmless. It may be called again.
func (d *Driver) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	d.slots.each(d.Cancel)
	d.box.CancelAll(func(op *driver.Op) { d.endHanded(op, -int32(unix.ECANCELED)) })
	for d.inFlight > 0 {
		d.wait(-1)
	}
	d.publish()
	if d.ownPool != nil {
		d.ownPool.Close()
	}
	return errors.Join(d.closeStock(), d.waker.close(d.ring.Close))
}
