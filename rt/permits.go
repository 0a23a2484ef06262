package rt

import (
	"sync"
	"sync/atomic"
)

// permits is what mutexes, read-write mutexes and semaphores have in common: a
// number of permits, of which one takes some and gives them back. A mutex has one
// permit; of a read-write mutex readers take one of very many, and writers all.
//
// It is fair: who cannot have what he wants queues, and nobody passes those who
// queue. What is given back is handed to the first of them.
//
// word is the number of permits taken, times two, and the queued bit. As long as
// the bit is not set word changes by compare-and-swap alone. While it is set, which
// is as long as there is a queue, word changes under mu only. So without
// contention there is one atomic operation.
type permits struct {
	word  atomic.Int64
	mu    sync.Mutex
	queue waitList
}

const queuedBit = 1

// tryTake takes n of limit permits, and reports false if they are not there or
// somebody queues.
func (p *permits) tryTake(n, limit int64) bool {
	for {
		w := p.word.Load()
		if w&queuedBit != 0 || w>>1 > limit-n {
			return false
		}
		if p.word.CompareAndSwap(w, w+n<<1) {
			return true
		}
	}
}

// takeOrQueue takes n permits if it can, and otherwise queues e and returns
// false.
func (p *permits) takeOrQueue(e *waitEntry, n, limit int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		w := p.word.Load()
		if w&queuedBit != 0 {
			break
		}
		if w>>1 <= limit-n {
			if p.word.CompareAndSwap(w, w+n<<1) {
				return true
			}
		} else if p.word.CompareAndSwap(w, w|queuedBit) {
			break
		}
	}
	e.weight = n
	p.queue.push(e)
	return false
}

// put gives n permits back. It reports false, and does nothing, if fewer are
// taken.
func (p *permits) put(n, limit int64) bool {
	for {
		w := p.word.Load()
		if w&queuedBit != 0 {
			return p.putQueued(n, limit)
		}
		if w>>1 < n {
			return false
		}
		if p.word.CompareAndSwap(w, w-n<<1) {
			return true
		}
	}
}

// putQueued is put when there was a queue.
func (p *permits) putQueued(n, limit int64) bool {
	p.mu.Lock()
	w := p.word.Load()
	if w&queuedBit == 0 {
		p.mu.Unlock() // the last of the queue has left meanwhile
		return p.put(n, limit)
	}
	if w>>1 < n {
		p.mu.Unlock()
		return false
	}
	p.word.Store(w - n<<1)
	granted := p.dispatch(limit)
	p.mu.Unlock()
	grantAll(granted)
	return true
}

// dispatch takes those out of the queue who can have what they want, in order up
// to the first who cannot, and returns them linked through next, to be granted
// when mu is unlocked. It is called with mu locked and the queued bit set.
func (p *permits) dispatch(limit int64) *waitEntry {
	var first, last *waitEntry
	w := p.word.Load()
	for e := p.queue.head; e != nil && w>>1 <= limit-e.weight; e = p.queue.head {
		p.queue.remove(e)
		w += e.weight << 1
		if last == nil {
			first = e
		} else {
			last.next = e
		}
		last = e
	}
	if p.queue.empty() {
		w &^= queuedBit
	}
	p.word.Store(w)
	return first
}

// leave takes e out of the queue. Those behind it may want less, so they are
// looked at. It reports false if e has been granted.
func (p *permits) leave(e *waitEntry, limit int64) bool {
	p.mu.Lock()
	if !p.queue.remove(e) {
		p.mu.Unlock()
		return false
	}
	granted := p.dispatch(limit)
	p.mu.Unlock()
	grantAll(granted)
	return true
}

// poll takes n permits for the future that l is part of.
func (p *permits) poll(cx *Context, l *leaf, n, limit int64) bool {
	if over, begun := l.ready(); begun {
		return over
	}
	if !cx.proceed() {
		return false
	}
	if p.tryTake(n, limit) {
		return true
	}
	l.entry.begin(cx)
	l.phase = waitQueued
	return p.takeOrQueue(&l.entry, n, limit)
}

// take takes n permits for plain code; o is what p is part of.
func (p *permits) take(o waitOwner, n, limit int64) {
	if p.tryTake(n, limit) {
		return
	}
	e := newParker()
	if !p.takeOrQueue(e, n, limit) {
		e.park(o)
	}
	e.release()
}
