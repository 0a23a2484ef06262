package rt

import "sync"

// A Cond lets those who have a lock wait until another says that what the lock
// guards has changed, like a [sync.Cond]. Those who wait are woken in the order
// they came.
type Cond struct {
	// L is held by who calls Wait, and should be by who changes the condition.
	L *Mutex

	mu    sync.Mutex
	queue waitList
}

// NewCond returns a Cond with the lock l.
func NewCond(l *Mutex) *Cond { return &Cond{L: l} }

// Signal wakes the one who has waited longest, if there is any.
func (c *Cond) Signal() {
	c.mu.Lock()
	e := c.queue.pop()
	c.mu.Unlock()
	if e != nil {
		e.grant()
	}
}

// Broadcast wakes all who wait.
func (c *Cond) Broadcast() {
	c.mu.Lock()
	all := c.queue.takeAll()
	c.mu.Unlock()
	grantAll(all)
}

// Wait unlocks c.L, waits to be woken, and locks c.L again. As others may have
// had the lock between, the condition must be looked at again.
func (c *Cond) Wait() {
	e := newParker()
	c.enter(e)
	c.L.Unlock()
	func() {
		// The caller unlocks c.L, even if its stack is unwound.
		defer c.relock()
		e.park(c)
	}()
	e.release()
}

// relock locks c.L for a caller who has waited.
func (c *Cond) relock() { c.L.Lock() }

func (c *Cond) enter(e *waitEntry) {
	c.mu.Lock()
	c.queue.push(e)
	c.mu.Unlock()
}

func (c *Cond) withdraw(e *waitEntry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.remove(e)
}

// giveBack passes the signal on.
func (c *Cond) giveBack(*waitEntry) { c.Signal() }

// WaitAsync is the companion of [Cond.Wait].
func (c *Cond) WaitAsync() *CondFuture {
	f := new(CondFuture)
	f.Init(c)
	return f
}

// A CondFuture is a [Cond.Wait] in progress.
type CondFuture struct {
	leaf
	c      *Cond
	lock   LockFuture
	relock bool // lock is being polled
}

// Init prepares f to wait for c.
func (f *CondFuture) Init(c *Cond) {
	f.c = c
	f.phase = waitIdle
	f.relock = false
}

// Poll implements [Future].
func (f *CondFuture) Poll(cx *Context) bool {
	if !f.relock {
		over, begun := f.ready()
		if !begun {
			f.entry.begin(cx)
			f.phase = waitQueued
			f.c.enter(&f.entry)
			f.c.L.Unlock()
		}
		if !over {
			return false
		}
		f.relock = true
		f.lock.Init(f.c.L)
	}
	return f.lock.Poll(cx)
}

// Result has nothing to tell; it is there for generated code.
func (f *CondFuture) Result() {}

// Cancel implements [Canceler]. When f has finished the lock is held in any case.
func (f *CondFuture) Cancel(*Context) {
	if !f.relock {
		f.cancel(f.c)
	}
}
