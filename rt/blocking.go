package rt

// Blocking calls f, which may block in any way, without holding up other tasks:
// in a task it runs f on another goroutine and waits for it as a task does. On an
// ordinary goroutine it just calls f. A panic or Goexit in f surfaces in the
// caller.
func Blocking(f func()) {
	if contextHere() == nil {
		f()
		return
	}
	var b BlockingFuture
	b.Init(f)
	block(&b)
}

// BlockingAsync is the companion of [Blocking].
func BlockingAsync(f func()) *BlockingFuture { return &BlockingFuture{f: f} }

// A BlockingFuture waits for a function that runs on a goroutine of its own.
type BlockingFuture struct {
	offload
	f func()
}

// Init prepares b to call f.
func (b *BlockingFuture) Init(f func()) {
	b.reset()
	b.f = f
}

// Poll implements [Future].
func (b *BlockingFuture) Poll(cx *Context) bool {
	if b.begun() {
		return b.ended()
	}
	b.begin(cx, b)
	return false
}

func (b *BlockingFuture) work() { b.f() }

// Result has nothing to tell; it is there for generated code.
func (b *BlockingFuture) Result() {}
