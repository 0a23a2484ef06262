package blocking

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// A Box is a driver's end of a pool: operations go into the pool through it, and
// come back to it. All methods are for the driver's thread.
type Box struct {
	pool *Pool
	wake func()
	// flight is the number of operations in the pool or in ended.
	flight int
	// handed is set when a goroutine may have been made runnable, see GiveWay.
	handed bool
	// ended are the operations that porters have ended, the last one first,
	// linked through Op.Next.
	ended atomic.Pointer[driver.Op]
}

// Init sets b up for a driver. wake is called by porters, on their own
// goroutines, each time they have put something into b; it must make the
// driver's next wait return and be harmless after the driver was closed.
func (b *Box) Init(pool *Pool, wake func()) {
	b.pool, b.wake = pool, wake
}

// Start hands op to the pool. Until it comes back from Take, op.Slot and op.Next
// are the pool's.
func (b *Box) Start(op *driver.Op) {
	b.flight++
	b.handed = true
	b.pool.start(op, b)
}

// Cancel reports whether op, which was started, has been called back before
// anybody did something about it. It does not come from Take then.
func (b *Box) Cancel(op *driver.Op) bool {
	if !b.pool.cancel(op) {
		return false
	}
	b.flight--
	return true
}

// Return puts op, which has its result, among those that Take returns.
func (b *Box) Return(op *driver.Op) {
	b.flight++
	b.put(op)
}

// CancelAll calls back all that nobody has begun with, and calls f for each.
func (b *Box) CancelAll(f func(*driver.Op)) {
	for _, op := range b.pool.cancelAll(b) {
		b.flight--
		f(op)
	}
}

// InFlight is the number of operations that were started and not yet taken or
// cancelled.
func (b *Box) InFlight() int { return b.flight }

// Take returns the operations that have ended, with their results, in the order
// in which they did, linked through Next.
func (b *Box) Take() *driver.Op {
	if b.flight == 0 || b.ended.Load() == nil {
		return nil
	}
	var first *driver.Op
	for op := b.ended.Swap(nil); op != nil; {
		next := op.Next
		op.Next = first
		first = op
		op = next
		b.flight--
	}
	return first
}

// Await returns when something has ended, if anything is in flight. It is for a
// driver that is being closed.
func (b *Box) Await() {
	for b.flight > 0 && b.ended.Load() == nil {
		time.Sleep(100 * time.Microsecond)
	}
}

// GiveWay is called before the driver's thread blocks in the kernel. A porter
// that it has made runnable is in the queue of the processor that the thread
// holds, and would have to wait there until the Go runtime notices that the
// thread is blocked, which can take 10 milliseconds. Yielding lets it run.
func (b *Box) GiveWay() {
	if b.handed {
		b.handed = false
		runtime.Gosched()
	}
}

// put is called by porters.
func (b *Box) put(op *driver.Op) {
	for {
		head := b.ended.Load()
		op.Next = head
		if b.ended.CompareAndSwap(head, op) {
			break
		}
	}
	b.wake()
}
