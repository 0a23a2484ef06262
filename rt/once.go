package rt

import "sync/atomic"

// A Once calls a function once, like a [sync.Once]. The function may wait; others
// who need it done wait for it without holding up their workers. The zero Once
// has called nothing. It must not be copied after first use.
type Once struct {
	begun atomic.Bool
	done  Event
}

// Do calls f if it is the first call of Do for o, and returns when f has been
// called. If f panics it counts as called. A call of Do in f waits for ever.
func (o *Once) Do(f func()) {
	switch {
	case o.done.IsSet():
	case o.begun.CompareAndSwap(false, true):
		o.call(f)
	default:
		o.done.Wait()
	}
}

func (o *Once) call(f func()) {
	defer o.done.Set()
	f()
}

// DoAsync is the companion of [Once.Do].
func (o *Once) DoAsync(f func()) *OnceFuture { return &OnceFuture{o: o, f: f} }

// A OnceFuture is a [Once.Do] in progress.
type OnceFuture struct {
	o     *Once
	f     func()
	wait  EventFuture
	begun bool
}

// Init prepares f to do fn once.
func (f *OnceFuture) Init(o *Once, fn func()) {
	f.o, f.f = o, fn
	f.begun = false
}

// Poll implements [Future]. If the function has to wait, it sets the stack aside.
func (f *OnceFuture) Poll(cx *Context) bool {
	if !f.begun {
		if f.o.done.IsSet() {
			return true
		}
		if f.o.begun.CompareAndSwap(false, true) {
			f.o.call(f.f)
			return true
		}
		f.begun = true
		f.wait.Init(&f.o.done)
	}
	return f.wait.Poll(cx)
}

// Result has nothing to tell; it is there for generated code.
func (f *OnceFuture) Result() {}

// Cancel implements [Canceler]. It makes f not wait for another's call.
func (f *OnceFuture) Cancel(cx *Context) { f.wait.Cancel(cx) }

// Canceled implements [Canceler].
func (f *OnceFuture) Canceled() bool { return f.begun && f.wait.Canceled() }
