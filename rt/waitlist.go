package rt

import (
	"sync"
	"sync/atomic"
)

// A waitEntry is somebody's place in a list of those who wait for a lock, a
// channel, an event: a future's, which has it inside, or one of those that plain
// code takes from a pool. Rules, cited by number elsewhere:
//
//	W1. The lock of the list's owner guards links and list. Whoever takes an entry
//	    out of its list decides what becomes of it: he grants it what it waits
//	    for, or it is withdrawn. So nothing is granted to one who has gone, and
//	    giving up takes constant time.
//	W2. Granting comes last. Once granted is set the entry is its owner's again
//	    and may be used for something else at once.
//	W3. Everything about a grant that the owner wants to know is written before.
type waitEntry struct {
	next, prev *waitEntry
	list       *waitList // that it is in, or nil
	waker      Waker     // of the task that waits; the zero Waker for a goroutine
	parked     *signal
	granted    atomic.Bool
	// weight is how much the owner wants, for permits.
	weight int64
	// of is what the entry is part of, for channels.
	of any
}

// A waitList is a queue of entries, the oldest first.
type waitList struct{ head, tail *waitEntry }

func (l *waitList) empty() bool { return l.head == nil }

// push adds e, which begins to wait.
func (l *waitList) push(e *waitEntry) {
	e.list, e.next, e.prev = l, nil, l.tail
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail = e
}

// remove takes e out, and reports false if it is not in l.
func (l *waitList) remove(e *waitEntry) bool {
	if e.list != l {
		return false
	}
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.list, e.next, e.prev = nil, nil, nil
	return true
}

// pop takes the oldest entry out, nil if there is none.
func (l *waitList) pop() *waitEntry {
	e := l.head
	if e != nil {
		l.remove(e)
	}
	return e
}

// takeAll empties l and returns the entries, linked through next.
func (l *waitList) takeAll() *waitEntry {
	first := l.head
	for e := first; e != nil; e = e.next {
		e.list, e.prev = nil, nil
	}
	l.head, l.tail = nil, nil
	return first
}

// begin prepares e to wait for the task in cx.
func (e *waitEntry) begin(cx *Context) {
	e.waker = cx.Waker()
	e.granted.Store(false)
}

// grant gives the owner of e, which is in no list any more, what it waits for.
func (e *waitEntry) grant() {
	waker, parked := e.waker, e.parked
	e.next = nil
	e.granted.Store(true)
	if waker.task != nil {
		waker.Wake()
		return
	}
	// The worker gives the goroutine a chance to run before it sleeps.
	if cx := currentContext(); cx != nil {
		cx.thread.readied = true
	}
	parked.send()
}

// grantFrom is grant by the task in cx, which spares looking for it.
func (e *waitEntry) grantFrom(cx *Context) {
	if waker := e.waker; waker.task != nil && waker.task.worker == cx.worker {
		if was, ok := cx.thread.tryEnter(); ok {
			e.next = nil
			e.granted.Store(true)
			waker.wakeHere()
			cx.exit(was)
			return
		}
	}
	e.grant()
}

// grantAll grants the entries that are linked through next.
func grantAll(e *waitEntry) {
	for e != nil {
		next := e.next // of a granted entry it is the owner's
		e.grant()
		e = next
	}
}

// A waitOwner is what an entry waits for.
type waitOwner interface {
	// withdraw takes e back. It reports false if e has been granted, or is
	// about to be.
	withdraw(e *waitEntry) bool
	// giveBack undoes a grant that nobody is there for any more.
	giveBack(e *waitEntry)
}

// parkers are entries for plain code.
var parkers = sync.Pool{New: func() any { return &waitEntry{parked: newSignal()} }}

// newParker returns an entry with which the calling code can wait.
func newParker() *waitEntry {
	e := parkers.Get().(*waitEntry)
	e.prepare()
	return e
}

// prepare makes e the entry of the calling code.
func (e *waitEntry) prepare() {
	if cx := contextHere(); cx != nil {
		cx.mustHaveTask()
		e.begin(cx)
		return
	}
	e.waker = Waker{}
	e.granted.Store(false)
}

// release puts e back into the pool.
func (e *waitEntry) release() {
	e.waker = Waker{}
	parkers.Put(e)
}

// park waits until e, which was put into a list of o, has been granted.
func (e *waitEntry) park(o waitOwner) {
	if e.waker.task == nil {
		e.parked.wait()
		return
	}
	cx := contextHere()
	done := false
	defer func() {
		// A stack that is unwound while it waits, because its runtime is closed,
		// must not take anything with it.
		if !done && !o.withdraw(e) {
			o.giveBack(e)
		}
	}()
	for !e.granted.Load() {
		cx.suspend()
	}
	done = true
}

// A leaf is the part that futures with a single entry share: the entry, and how
// far they have got.
type leaf struct {
	entry waitEntry
	phase waitPhase
}

type waitPhase uint8

const (
	waitIdle     waitPhase = iota // nothing has been done
	waitQueued                    // entry is in the list, or has been granted
	waitCanceled                  // it was given up without effect
)

// ready is asked by a Poll. It reports whether the wait is over; if not, and
// begun is false, the future tries to get what it wants, and enters the list
// otherwise.
func (l *leaf) ready() (over, begun bool) {
	switch l.phase {
	case waitQueued:
		return l.entry.granted.Load(), true
	case waitCanceled:
		return true, true
	}
	return false, false
}

// cancel gives the wait up.
func (l *leaf) cancel(o waitOwner) {
	switch l.phase {
	case waitIdle:
		l.phase = waitCanceled // it had no budget left to begin
	case waitQueued:
		if o.withdraw(&l.entry) {
			l.phase = waitCanceled
		}
	}
}

// Canceled implements [Canceler].
func (l *leaf) Canceled() bool { return l.phase == waitCanceled }
