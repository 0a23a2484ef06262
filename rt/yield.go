package rt

import "runtime"

// Yield lets others run, like runtime.Gosched.
func Yield() {
	if contextHere() == nil {
		runtime.Gosched()
		return
	}
	var f YieldFuture
	block(&f)
}

// YieldAsync is the companion of [Yield].
func YieldAsync() *YieldFuture { return &YieldFuture{} }

// A YieldFuture is unfinished once.
type YieldFuture struct{ yielded bool }

// Init prepares f.
func (f *YieldFuture) Init() { f.yielded = false }

// Poll implements [Future].
func (f *YieldFuture) Poll(cx *Context) bool {
	if f.yielded {
		return true
	}
	f.yielded = true
	cx.Wake()
	return false
}

// Result has nothing to tell; it is there for generated code.
func (f *YieldFuture) Result() {}
