package rt

import "time"

// Sleep waits for at least d, like time.Sleep.
func Sleep(d time.Duration) {
	if contextHere() == nil {
		time.Sleep(d)
		return
	}
	f := SleepAsync(d)
	block(f)
}

// SleepAsync is the companion of [Sleep]. The time starts to run when the
// future is first polled.
func SleepAsync(d time.Duration) *SleepFuture { return &SleepFuture{duration: d} }

// A SleepFuture waits for some time to pass.
type SleepFuture struct {
	duration time.Duration // zeroed when the timer has been started
	timer    timer
}

// Init prepares f to wait for d.
func (f *SleepFuture) Init(d time.Duration) { f.duration = d }

// Poll implements [Future].
func (f *SleepFuture) Poll(cx *Context) bool {
	if f.duration > 0 {
		when := nanotime() + int64(f.duration)
		if when < 0 {
			when = 1<<63 - 1
		}
		f.duration = 0
		f.timer.arg = cx.task
		cx.worker.startTimer(&f.timer, when, wakeOnFire)
		return false
	}
	if f.timer.fire == nil {
		return cx.proceed() // there was nothing to wait for
	}
	if f.timer.active() {
		return false
	}
	f.timer = timer{}
	return true
}

// Result has nothing to tell; it is there for generated code.
func (f *SleepFuture) Result() {}
