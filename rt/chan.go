package rt

import (
	"errors"
	"iter"
	"sync"
	"sync/atomic"
)

// A Chan is a channel for tasks and goroutines alike, with the rules of Go's own:
// a buffer of fixed size or none, values in the order they were sent, those who
// wait served in the order they came. A task that waits for it does not hold up
// its worker, and needs no goroutine to wait for it.
//
// A nil *Chan, other than a nil channel, cannot be used.
type Chan[T any] struct {
	// id orders the locks of the channels of a [Select].
	id     uint64
	mu     sync.Mutex
	buf    []T // a ring of cap(buf) places
	first  int // the oldest value
	n      int // how many there are
	closed bool
	// Of the two queues at most one has entries that are not of a Select which
	// has gone on already.
	senders, receivers waitList
	// spare are places for plain code, linked through next.
	spare  *waitEntry
	spares int
}

var lastChan atomic.Uint64

// maxSpares is how many places a channel keeps.
const maxSpares = 16

// errSendClosed is the value of the panic of a send to a closed channel.
var errSendClosed = errors.New("rt: send on closed channel")

// NewChan returns a channel with room for so many values.
func NewChan[T any](capacity int) *Chan[T] {
	return &Chan[T]{id: lastChan.Add(1), buf: make([]T, capacity)}
}

// A chanPlace is somebody's place in one of the queues of a channel, with the
// value that he sends or has received.
type chanPlace[T any] struct {
	leaf
	value T
	ok    bool // whether the value was sent, or taken
	// choice is that of the Select which this is a case of, and index is the
	// case's.
	choice *choice
	index  int
}

// join puts p into l.
func (p *chanPlace[T]) join(l *waitList) {
	p.entry.of = p
	p.ok = false
	p.phase = waitQueued
	l.push(&p.entry)
}

// served reports whether p need not wait any more.
func (p *chanPlace[T]) served() bool { return p.phase != waitQueued || p.entry.granted.Load() }

// dismiss gives up p, which is a case of a Select that has made another choice.
// Somebody may have taken it out of its queue, but does not serve it.
func (p *chanPlace[T]) dismiss(c *Chan[T]) {
	if p.phase == waitQueued {
		c.withdraw(&p.entry)
	}
	p.phase = waitCanceled
}

// nextPlace takes the first one out of the queue who is still there, nil if there
// is none. Of a Select one case only goes on: that is the claim.
func nextPlace[T any](l *waitList) *chanPlace[T] {
	for e := l.pop(); e != nil; e = l.pop() {
		if p := e.of.(*chanPlace[T]); p.choice == nil || p.choice.claim(p.index) {
			return p
		}
	}
	return nil
}

// put sends v if that need not wait, with the lock held. It is done and not ok
// if the channel is closed. The entry, if not nil, is to be granted when the
// lock is free.
func (c *Chan[T]) put(v T) (ok, done bool, grant *waitEntry) {
	if c.closed {
		return false, true, nil
	}
	if p := nextPlace[T](&c.receivers); p != nil {
		p.value, p.ok = v, true
		return true, true, &p.entry
	}
	if c.n == len(c.buf) {
		return false, false, nil
	}
	c.store(v)
	return true, true, nil
}

// store adds v to the buffer, in which there is room.
func (c *Chan[T]) store(v T) {
	i := c.first + c.n
	if i >= len(c.buf) {
		i -= len(c.buf)
	}
	c.buf[i] = v
	c.n++
}

// take receives a value if that need not wait, with the lock held. It is done and
// not ok if the channel is closed and empty. The entry is as for put.
func (c *Chan[T]) take() (v T, ok, done bool, grant *waitEntry) {
	if c.n > 0 {
		var zero T
		v, c.buf[c.first] = c.buf[c.first], zero
		if c.first++; c.first == len(c.buf) {
			c.first = 0
		}
		c.n--
	} else if c.closed {
		return v, false, true, nil
	} else if len(c.buf) > 0 {
		return v, false, false, nil
	}
	p := nextPlace[T](&c.senders)
	switch {
	case len(c.buf) > 0:
		if p == nil {
			return v, true, true, nil
		}
		c.store(p.value)
	case p == nil:
		return v, false, false, nil
	default:
		v = p.value
	}
	p.ok = true
	return v, true, true, &p.entry
}

// Send sends v, waiting until there is room or someone to receive it. It panics
// if c is closed.
func (c *Chan[T]) Send(v T) {
	c.mu.Lock()
	ok, done, grant := c.put(v)
	if !done {
		ok = c.sendWaiting(v)
	} else {
		c.mu.Unlock()
		if grant != nil {
			grant.grant()
		}
	}
	if !ok {
		panic(errSendClosed)
	}
}

// sendWaiting is Send for plain code that probably has to wait. It is called with
// the lock held.
func (c *Chan[T]) sendWaiting(v T) bool {
	p := c.getSpare()
	ok, done, grant := c.put(v)
	if !done {
		p.value = v
		p.join(&c.senders)
		c.mu.Unlock()
		p.entry.park(c)
		ok = p.ok
		c.mu.Lock()
	}
	c.putSpare(p)
	c.mu.Unlock()
	if grant != nil {
		grant.grant()
	}
	return ok
}

// TrySend sends v if that need not wait, and reports whether it has. It panics if
// c is closed.
func (c *Chan[T]) TrySend(v T) bool {
	c.mu.Lock()
	ok, done, grant := c.put(v)
	c.mu.Unlock()
	if done && !ok {
		panic(errSendClosed)
	}
	if grant != nil {
		grant.grant()
	}
	return done
}

// Recv receives a value, waiting until there is one. When c is closed and the
// values sent before have been received, it returns the zero value and false.
func (c *Chan[T]) Recv() (v T, ok bool) {
	c.mu.Lock()
	v, ok, done, grant := c.take()
	if !done {
		return c.recvWaiting()
	}
	c.mu.Unlock()
	if grant != nil {
		grant.grant()
	}
	return v, ok
}

// recvWaiting is Recv for plain code that probably has to wait. It is called with
// the lock held.
func (c *Chan[T]) recvWaiting() (T, bool) {
	p := c.getSpare()
	v, ok, done, grant := c.take()
	if !done {
		p.join(&c.receivers)
		c.mu.Unlock()
		p.entry.park(c)
		v, ok = p.value, p.ok
		c.mu.Lock()
	}
	c.putSpare(p)
	c.mu.Unlock()
	if grant != nil {
		grant.grant()
	}
	return v, ok
}

// TryRecv is Recv if that need not wait; otherwise done is false.
func (c *Chan[T]) TryRecv() (v T, ok, done bool) {
	c.mu.Lock()
	v, ok, done, grant := c.take()
	c.mu.Unlock()
	if grant != nil {
		grant.grant()
	}
	return v, ok, done
}

// Close says that no more values will be sent. Those that have been sent can
// still be received; who waits to send panics. Close panics if c is closed.
func (c *Chan[T]) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		panic(errors.New("rt: close of closed channel"))
	}
	c.closed = true
	var first *waitEntry
	for _, l := range [...]*waitList{&c.receivers, &c.senders} {
		for p := nextPlace[T](l); p != nil; p = nextPlace[T](l) {
			p.entry.next = first
			first = &p.entry
		}
	}
	c.mu.Unlock()
	grantAll(first)
}

// Len returns how many values are in the buffer.
func (c *Chan[T]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Cap returns how many values the buffer has room for.
func (c *Chan[T]) Cap() int { return len(c.buf) }

// All returns the values that are received until c is closed, for a range over
// them. It receives in plain form; where a stack is not to be set aside, write
//
//	for v, ok := c.Recv(); ok; v, ok = c.Recv() {
func (c *Chan[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, ok := c.Recv()
			if !ok || !yield(v) {
				return
			}
		}
	}
}

func (c *Chan[T]) withdraw(e *waitEntry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.list != nil && e.list.remove(e)
}

// giveBack does nothing: a value that has been received is its receiver's.
func (c *Chan[T]) giveBack(*waitEntry) {}

// getSpare returns a place for the calling code. It is called with the lock held
// and unlocks it meanwhile.
func (c *Chan[T]) getSpare() *chanPlace[T] {
	var p *chanPlace[T]
	if e := c.spare; e != nil {
		c.spare, e.next = e.next, nil
		c.spares--
		p = e.of.(*chanPlace[T])
	}
	c.mu.Unlock()
	if p == nil {
		p = &chanPlace[T]{leaf: leaf{entry: waitEntry{parked: newSignal()}}}
		p.entry.of = p
	}
	p.entry.prepare()
	c.mu.Lock()
	return p
}

// putSpare keeps p for others. It is called with the lock held.
func (c *Chan[T]) putSpare(p *chanPlace[T]) {
	if c.spares == maxSpares {
		return
	}
	var zero T
	p.value = zero
	p.entry.waker = Waker{}
	c.spare, p.entry.next = &p.entry, c.spare
	c.spares++
}
