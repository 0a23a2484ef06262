package rt

import (
	"sync"
	"sync/atomic"
)

// An Event is something that happens once, as far as those who wait for it are
// concerned: it is broadcast to all of them, and who comes later need not wait.
// The zero Event has not happened. It must not be copied after first use.
type Event struct {
	set   atomic.Bool
	mu    sync.Mutex
	queue waitList
}

// Set makes the event happen, for all who wait for it and will. Calls after the
// first do nothing.
func (e *Event) Set() {
	if e.set.Load() {
		return
	}
	e.mu.Lock()
	e.set.Store(true)
	all := e.queue.takeAll()
	e.mu.Unlock()
	grantAll(all)
}

// IsSet reports whether the event has happened.
func (e *Event) IsSet() bool { return e.set.Load() }

// Reset makes the event one that has not happened, for those who will wait for it.
func (e *Event) Reset() {
	e.mu.Lock()
	e.set.Store(false)
	e.mu.Unlock()
}

// Wait waits until the event has happened.
func (e *Event) Wait() {
	if e.set.Load() {
		return
	}
	k := newParker()
	if !e.setOrQueue(k) {
		k.park(e)
	}
	k.release()
}

// setOrQueue reports whether e is set, and otherwise queues k.
func (e *Event) setOrQueue(k *waitEntry) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.set.Load() {
		return true
	}
	e.queue.push(k)
	return false
}

func (e *Event) withdraw(k *waitEntry) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queue.remove(k)
}

func (e *Event) giveBack(*waitEntry) {}

// WaitAsync is the companion of [Event.Wait].
func (e *Event) WaitAsync() *EventFuture { return &EventFuture{e: e} }

// An EventFuture is an [Event.Wait] in progress.
type EventFuture struct {
	leaf
	e *Event
}

// Init prepares f to wait for e.
func (f *EventFuture) Init(e *Event) {
	f.e = e
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *EventFuture) Poll(cx *Context) bool {
	if over, begun := f.ready(); begun {
		return over
	}
	if !cx.proceed() {
		return false
	}
	if f.e.set.Load() {
		return true
	}
	f.entry.begin(cx)
	f.phase = waitQueued
	return f.e.setOrQueue(&f.entry)
}

// Result has nothing to tell; it is there for generated code.
func (f *EventFuture) Result() {}

// Cancel implements [Canceler].
func (f *EventFuture) Cancel(*Context) { f.cancel(f.e) }
