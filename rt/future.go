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
//  6. A future that has been polled is polled until it has finished: something
//     may be about to write to its memory, or to hand it a lock or a value. It
//     is given up by way of [Canceler], or by cancelling the code it is part of,
//     see [WithContext].
//
// The results of a future are had from its Result method, which has the
// results of the plain form; see [Await].
type Future interface {
	Poll(cx *Context) bool
}

// A Canceler is a future that can be given up while it waits. Those that wait
// for a socket, a timer, a channel, a lock, and so on, all are; the frames of
// functions are not, because their code has to see an error and to return.
type Canceler interface {
	Future
	// Cancel asks f, which has not finished, to finish soon. It is called where
	// f is polled. It is a request: f is still polled until it has finished,
	// and either has done nothing then, or finished as usual because that was
	// faster. What it has got by then (a lock, a value,
	// bytes, a connection) is the caller's. Further calls do nothing.
	Cancel(cx *Context)
	// Canceled reports whether f, which has finished, has done nothing
	// because it was given up. Its results mean nothing then, except for an
	// error.
	Canceled() bool
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
