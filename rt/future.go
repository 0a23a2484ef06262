package rt

// A Future is something that will have happened: an operation under way, or an
// async function with its frame. The contract of Poll, cited by number:
//
//  1. Poll goes on as far as it can, and returns true when the future has
//     finished. Otherwise it has arranged for the task in cx to be woken, by
//     [Context.Wake], a [Waker], or the end of something it started.
//  2. Poll is called by one worker at a time. Spurious polls are harmless.
//  3. A future that has finished is not polled again.
//  4. When Poll returns true nothing refers to the future's memory any more,
//     neither a kernel nor a timer nor a list of waiters, so that it can be
//     used for the next future at once.
//  5. A future, once polled, does not move in memory.
//
// The results of a future are had from its Result method, which has the
// results of the plain form; see [Await].
type Future interface {
	Poll(cx *Context) bool
}

// Await waits until f has finished and returns it, so that one writes
//
//	n, err := rt.Await(conn.ReadAsync(buf)).Result()
//
// It may be called anywhere. In a task, at any depth of calls, it suspends the
// stack of the calling code while the worker goes on with other tasks. On any
// other goroutine it runs f as a task of the default runtime and parks the
// goroutine. A panic or Goexit in f surfaces in the caller.
//
// In a function that cogen generates frames for, Await of f is an await point.
func Await[F Future](f F) F {
	block(f)
	return f
}

// block is Await without its result.
func block(f Future) {
	cx := contextHere()
	if cx == nil {
		Default().runFrom(f)
		return
	}
	cx.mustHaveTask()
	for !f.Poll(cx) {
		cx.suspend()
	}
}
