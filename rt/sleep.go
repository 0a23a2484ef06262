package rt

import (
	"context"
	"math"
	"time"
)

// Sleep waits for at least d, like time.Sleep. See [SleepContext] for a sleep that
// can be cut short.
func Sleep(d time.Duration) {
	if contextHere() == nil {
		time.Sleep(d)
		return
	}
	block(SleepAsync(d))
}

// SleepAsync is the companion of [Sleep]. The time starts to run when the
// future is first polled.
func SleepAsync(d time.Duration) *SleepFuture { return &SleepFuture{duration: d} }

// A SleepFuture waits for some time to pass.
type SleepFuture struct {
	duration time.Duration
	timer    timer
	phase    waitPhase
}

// Init prepares f to wait for d.
func (f *SleepFuture) Init(d time.Duration) {
	f.duration = d
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *SleepFuture) Poll(cx *Context) bool {
	switch f.phase {
	case waitIdle:
		if f.duration <= 0 {
			return cx.proceed() // there is nothing to wait for
		}
		f.begin(cx, timeAfter(nanotime(), f.duration))
		return false
	case waitQueued:
		return f.over(cx)
	default:
		return true
	}
}

// begin starts the timer.
func (f *SleepFuture) begin(cx *Context, when int64) {
	f.phase = waitQueued
	f.timer.arg = cx.task
	was := cx.enter()
	cx.worker.startTimer(&f.timer, when, wakeOnFire)
	cx.exit(was)
}

// over reports whether the timer has fired.
func (f *SleepFuture) over(cx *Context) bool {
	was := cx.enter()
	waits := f.timer.active()
	if !waits {
		f.timer = timer{}
	}
	cx.exit(was)
	return !waits
}

// Result has nothing to tell; it is there for generated code.
func (f *SleepFuture) Result() {}

// Cancel implements [Canceler].
func (f *SleepFuture) Cancel(cx *Context) {
	was := cx.enter()
	defer cx.exit(was)
	if f.phase == waitIdle || f.timer.active() {
		cx.worker.stopTimer(&f.timer)
		f.phase = waitCanceled
		f.timer = timer{}
	}
}

// Canceled implements [Canceler].
func (f *SleepFuture) Canceled() bool { return f.phase == waitCanceled }

// timeAfter returns the time d after now, or the last there is.
func timeAfter(now int64, d time.Duration) int64 {
	return now + min(int64(d), math.MaxInt64-now)
}

// SleepContext waits for d, or until ctx ends or the calling code is
// cancelled, and then returns why.
func SleepContext(ctx context.Context, d time.Duration) error {
	f := SleepContextAsync(ctx, d)
	block(f)
	return f.Result()
}

// SleepContextAsync is the companion of [SleepContext].
func SleepContextAsync(ctx context.Context, d time.Duration) *SleepContextFuture {
	f := new(SleepContextFuture)
	f.Init(ctx, d)
	return f
}

// A SleepContextFuture is a [SleepContext] in progress.
type SleepContextFuture struct {
	sleep  SleepFuture
	within ContextFuture[*SleepFuture]
	err    error
}

// Init prepares f to wait for d.
func (f *SleepContextFuture) Init(ctx context.Context, d time.Duration) {
	f.sleep.Init(d)
	f.within.Init(ctx, &f.sleep)
	f.err = nil
}

// Poll implements [Future].
func (f *SleepContextFuture) Poll(cx *Context) bool {
	if !f.within.Poll(cx) {
		return false
	}
	if f.sleep.Canceled() {
		if f.err = f.within.scope.reason(); f.err == nil {
			f.err = cx.canceled()
		}
	}
	return true
}

// Result returns why the sleep was cut short, nil if it was not.
func (f *SleepContextFuture) Result() error { return f.err }

// Cancel implements [Canceler].
func (f *SleepContextFuture) Cancel(cx *Context) { f.within.Cancel(cx) }

// Canceled implements [Canceler].
func (f *SleepContextFuture) Canceled() bool { return f.sleep.Canceled() }
