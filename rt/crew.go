package rt

import (
	"context"
	"sync"
)

// A crew is a number of futures that run as tasks of their own, each in a scope, and
// that somebody waits for: what [Group], [Join] and [Race] have in common. They are
// tasks because a future that waits in plain code sets its stack aside, and would
// set the others' aside with it if they were polled by the same task.
type crew struct {
	mu      sync.Mutex // guards everything here, and wakers and links of members
	members *member    // that have not finished
	n       int        // how many they are
	begun   int        // how many there have been
	reason  error      // why all are cancelled, nil if they are not
	err     error      // the first error that a member returned
	first   int        // the index of the first member that finished, if begun > n
	ended   int        // how many have finished
	// outcome is that of the first member that ended in another way than by
	// returning.
	outcome outcome
	waiters waitList // who waits for all to have finished

	// Set before any member starts.
	failFast bool // a member's error cancels the others
	race     bool // a member's end cancels the others
	limit    *permits
	most     int64 // of limit
	// onCancel is called, with nothing locked, when the members are cancelled. It
	// is guarded by mu.
	onCancel func()
}

// A member is one of the futures.
type member struct {
	scope      scope
	crew       *crew
	future     Future
	waiter     waiter
	next, prev *member
	index      int
	begun      bool
}

// start runs f as a member. The task is one of the caller's runtime.
func (c *crew) start(f Future) {
	m := &member{crew: c, future: f}
	m.waiter.member = m
	m.waiter.joins = true
	c.mu.Lock()
	m.index = c.begun
	c.begun++
	c.n++
	if m.next = c.members; m.next != nil {
		m.next.prev = m
	}
	c.members = m
	if c.reason != nil {
		m.scope.cancel(c.reason)
	}
	c.mu.Unlock()
	if cx := contextHere(); cx != nil {
		cx.start(m, &m.waiter)
		return
	}
	if _, ok := Default().pick().spawnFrom(m, &m.waiter); !ok {
		m.ended(outcome{kind: abandoned})
	}
}

// Poll implements [Future].
func (m *member) Poll(cx *Context) bool {
	if !m.begun {
		m.begun = true
		m.crew.mu.Lock()
		m.scope.waker = cx.Waker()
		m.crew.mu.Unlock()
	}
	return m.scope.poll(cx, m.future)
}

// cancel cancels all members, those that are started later too.
func (c *crew) cancel(reason error) {
	c.mu.Lock()
	after := c.cancelLocked(reason)
	c.mu.Unlock()
	if after != nil {
		after()
	}
}

// cancelLocked is cancel with mu locked. It returns what is to be called, if not
// nil, when mu is unlocked.
func (c *crew) cancelLocked(reason error) (after func()) {
	if c.reason != nil {
		return nil
	}
	c.reason = reason
	for m := c.members; m != nil; m = m.next {
		m.scope.cancel(reason)
	}
	return c.onCancel
}

// ended is called when m's task has finished.
func (m *member) ended(o outcome) {
	c := m.crew
	var err error
	if o.kind == returned {
		err = failureOf(m.future)
	}
	c.mu.Lock()
	if c.ended == 0 {
		c.first = m.index
	}
	c.ended++
	if c.n--; m.prev == nil {
		c.members = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	}
	if o.kind != returned && c.outcome.kind == returned {
		c.outcome = o
	}
	if c.err == nil {
		c.err = err
	}
	var after func()
	if c.race || c.outcome.kind != returned || c.failFast && c.err != nil {
		after = c.cancelLocked(context.Canceled)
	}
	var waiters *waitEntry
	if c.n == 0 {
		waiters = c.waiters.takeAll()
	}
	limit := c.limit
	c.mu.Unlock()
	if after != nil {
		after()
	}
	if limit != nil {
		limit.put(1, c.most)
	}
	grantAll(waiters)
}

// failureOf returns the error that f, which has finished, has as its only result.
func failureOf(f Future) error {
	switch f := f.(type) {
	case interface{ Result() error }:
		return f.Result()
	case interface{ inner() Future }:
		return failureOf(f.inner())
	}
	return nil
}

// doneOrQueue reports whether all members have finished, and otherwise queues e.
func (c *crew) doneOrQueue(e *waitEntry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		return true
	}
	c.waiters.push(e)
	return false
}

// A crewWait waits until all members of a crew have finished. If the code that
// it is part of is cancelled, or it is given up, they are cancelled.
type crewWait struct {
	entry  waitEntry
	queued bool
	gone   bool // they have been cancelled through this
}

// over reports whether the wait is over.
func (w *crewWait) over(cx *Context, c *crew) bool {
	if !w.gone {
		if err := cx.canceled(); err != nil {
			w.cancel(c, err)
		}
	}
	if !w.queued {
		w.queued = true
		w.entry.begin(cx)
		return c.doneOrQueue(&w.entry)
	}
	return w.entry.granted.Load()
}

func (w *crewWait) cancel(c *crew, reason error) {
	w.gone = true
	c.cancel(reason)
}

// surface makes a panic or Goexit of a member happen to the caller.
func (c *crew) surface() {
	c.mu.Lock()
	o := c.outcome
	c.mu.Unlock()
	o.surface()
}
