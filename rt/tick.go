package rt

import (
	"sync"
	"time"
)

// After returns an event that happens when d has passed. Unlike a sleep it can be
// waited for by many, and more than once.
func After(d time.Duration) *Event {
	a := new(alarm)
	a.timer.arg = a
	if cx := currentContext(); cx != nil {
		was := cx.enter()
		a.start(cx.worker, d)
		cx.exit(was)
		return &a.event
	}
	w := Default().pick()
	now := time.Now()
	w.exec(func() { a.start(w, d-time.Since(now)) })
	return &a.event
}

// An alarm is an event that a timer sets.
type alarm struct {
	event Event
	timer timer
}

func (a *alarm) start(w *worker, d time.Duration) {
	w.startTimer(&a.timer, timeAfter(nanotime(), max(d, 0)), ring)
}

func ring(t *timer) { t.arg.(*alarm).event.Set() }

// A Ticker has ticks at regular times. It takes no timer as long as nobody waits for
// one, and need not be stopped.
type Ticker struct {
	mu     sync.Mutex
	period time.Duration
	next   time.Time
}

// Tick returns a ticker whose first tick comes after d, and the others as long
// after each other. It panics if d is not positive.
func Tick(d time.Duration) *Ticker {
	t := new(Ticker)
	t.Reset(d)
	return t
}

// Reset makes t tick every d from now on. It panics if d is not positive. Waits that
// are under way end at the time that they began to wait for.
func (t *Ticker) Reset(d time.Duration) {
	if d <= 0 {
		panic("rt: ticker with a period that is not positive")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.period, t.next = d, time.Now().Add(d)
}

// Wait waits for the next tick and returns its time. If ticks have passed since the
// last one that was waited for, it returns the first of these at once, and
// leaves the others out. All who wait at the same time wait for the same tick.
func (t *Ticker) Wait() time.Time {
	f := t.WaitAsync()
	block(f)
	return f.Result()
}

// begin returns the time of the next tick.
func (t *Ticker) begin() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

// pass goes on to the first tick that is after both the one at when and now.
func (t *Ticker) pass(when, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next.After(when) {
		return
	}
	missed := max(now.Sub(t.next)/t.period, 0)
	t.next = t.next.Add((missed + 1) * t.period)
}

// WaitAsync is the companion of [Ticker.Wait].
func (t *Ticker) WaitAsync() *TickFuture { return &TickFuture{t: t} }

// A TickFuture is a [Ticker.Wait] in progress.
type TickFuture struct {
	sleep SleepFuture
	t     *Ticker
	when  time.Time
	begun bool
}

// Init prepares f to wait for a tick of t.
func (f *TickFuture) Init(t *Ticker) {
	f.t = t
	f.begun = false
	f.sleep.Init(0)
}

// Poll implements [Future].
func (f *TickFuture) Poll(cx *Context) bool {
	if !f.begun {
		f.begun = true
		f.when = f.t.begin()
		if f.sleep.phase == waitIdle {
			f.sleep.duration = time.Until(f.when)
		}
	}
	if !f.sleep.Poll(cx) {
		return false
	}
	if !f.sleep.Canceled() {
		f.t.pass(f.when, time.Now())
	}
	return true
}

// Result returns the time of the tick.
func (f *TickFuture) Result() time.Time { return f.when }

// Cancel implements [Canceler]. If f was given up, the tick can still be waited for.
func (f *TickFuture) Cancel(cx *Context) { f.sleep.Cancel(cx) }

// Canceled implements [Canceler].
func (f *TickFuture) Canceled() bool { return f.sleep.Canceled() }
