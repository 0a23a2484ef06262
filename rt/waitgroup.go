package rt

import (
	"sync"
	"sync/atomic"
)

// A WaitGroup waits until a counter is zero, like a [sync.WaitGroup]. The zero
// WaitGroup's is. It must not be copied after first use. See [Group] for tasks
// that can fail.
//
// word is the counter, times two, and the queued bit, which says that somebody waits
// for zero. Who takes the counter to zero with the bit set releases all of them.
type WaitGroup struct {
	word  atomic.Int64
	mu    sync.Mutex
	queue waitList
}

// Add adds delta, which may be negative, to the counter. It panics if that
// becomes negative. While somebody waits, an Add that starts from zero must come
// after the Wait has returned.
func (g *WaitGroup) Add(delta int) {
	w := g.word.Add(int64(delta) << 1)
	if w < 0 {
		panic("rt: negative WaitGroup counter")
	}
	if w == queuedBit {
		g.mu.Lock()
		g.word.And(^queuedBit)
		all := g.queue.takeAll()
		g.mu.Unlock()
		grantAll(all)
	}
}

// Done subtracts one from the counter.
func (g *WaitGroup) Done() { g.Add(-1) }

// Wait waits until the counter is zero.
func (g *WaitGroup) Wait() {
	if g.zero() {
		return
	}
	e := newParker()
	if !g.zeroOrQueue(e) {
		e.park(g)
	}
	e.release()
}

func (g *WaitGroup) zero() bool { return g.word.Load()>>1 == 0 }

// zeroOrQueue reports whether the counter is zero, and otherwise queues e.
func (g *WaitGroup) zeroOrQueue(e *waitEntry) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		w := g.word.Load()
		if w>>1 == 0 {
			return true
		}
		if w&queuedBit != 0 || g.word.CompareAndSwap(w, w|queuedBit) {
			g.queue.push(e)
			return false
		}
	}
}

func (g *WaitGroup) withdraw(e *waitEntry) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	// The bit may stay: who finds nobody to release does nothing.
	return g.queue.remove(e)
}

func (g *WaitGroup) giveBack(*waitEntry) {}

// WaitAsync is the companion of [WaitGroup.Wait].
func (g *WaitGroup) WaitAsync() *WaitGroupFuture { return &WaitGroupFuture{g: g} }

// A WaitGroupFuture is a [WaitGroup.Wait] in progress.
type WaitGroupFuture struct {
	leaf
	g *WaitGroup
}

// Init prepares f to wait for g.
func (f *WaitGroupFuture) Init(g *WaitGroup) {
	f.g = g
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *WaitGroupFuture) Poll(cx *Context) bool {
	if over, begun := f.ready(); begun {
		return over
	}
	if !cx.proceed() {
		return false
	}
	if f.g.zero() {
		return true
	}
	f.entry.begin(cx)
	f.phase = waitQueued
	return f.g.zeroOrQueue(&f.entry)
}

// Result has nothing to tell; it is there for generated code.
func (f *WaitGroupFuture) Result() {}

// Cancel implements [Canceler].
func (f *WaitGroupFuture) Cancel(*Context) { f.cancel(f.g) }
