package rt

// Receiving from and sending to native channels in async functions. The
// operation is tried first; if it would block it is carried out by another
// goroutine, so that the order among waiters, closing, and panics are Go's own.
// The plain forms are the operators.

// RecvAsync is the companion of the operator <-ch.
func RecvAsync[T any](ch <-chan T) *RecvFuture[T] { return &RecvFuture[T]{ch: ch} }

// A RecvFuture receives a value from a channel.
type RecvFuture[T any] struct {
	offload
	ch <-chan T
	v  T
	ok bool
}

// Init prepares f to receive from ch.
func (f *RecvFuture[T]) Init(ch <-chan T) {
	*f = RecvFuture[T]{ch: ch}
}

// Poll implements [Future].
func (f *RecvFuture[T]) Poll(cx *Context) bool {
	if f.begun() {
		return f.ended()
	}
	if f.ch == nil {
		return false // for ever, like the operator
	}
	if !cx.proceed() {
		return false
	}
	select {
	case f.v, f.ok = <-f.ch:
		cx.thread.readied = true
		return true
	default:
		f.begin(cx, f)
		return false
	}
}

func (f *RecvFuture[T]) work() { f.v, f.ok = <-f.ch }

// Result returns the value received, and whether it was sent rather than the
// zero value of a closed channel.
func (f *RecvFuture[T]) Result() (T, bool) { return f.v, f.ok }

// SendAsync is the companion of the statement ch <- v.
func SendAsync[T any](ch chan<- T, v T) *SendFuture[T] { return &SendFuture[T]{ch: ch, v: v} }

// A SendFuture sends a value to a channel.
type SendFuture[T any] struct {
	offload
	ch chan<- T
	v  T
}

// Init prepares f to send v to ch.
func (f *SendFuture[T]) Init(ch chan<- T, v T) {
	*f = SendFuture[T]{ch: ch, v: v}
}

// Poll implements [Future]. It panics if the channel is closed.
func (f *SendFuture[T]) Poll(cx *Context) bool {
	if f.begun() {
		return f.ended()
	}
	if f.ch == nil {
		return false // for ever, like the statement
	}
	if !cx.proceed() {
		return false
	}
	select {
	case f.ch <- f.v:
		cx.thread.readied = true
		return true
	default:
		f.begin(cx, f)
		return false
	}
}

func (f *SendFuture[T]) work() { f.ch <- f.v }

// Result has nothing to tell; it is there for generated code.
func (f *SendFuture[T]) Result() {}
