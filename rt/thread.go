package rt

import "sync"

// threads finds the worker of a thread, by the thread's number.
var threads sync.Map // of int to *worker

// contextHere returns the context of the task that the calling code is part of,
// nil if it is on an ordinary goroutine. It is for code that is about to wait,
// because it takes a system call where [currentContext] finds nothing.
//
// It finds the context of code that a task runs on a coroutine of its own
// making, such as the sequence behind iter.Pull. That is neither the goroutine
// of a runner nor an ordinary one: parking it would block the worker. But it is
// on the worker's thread, where nothing but the active runner and what was
// switched to from there can be. Suspending the runner from the coroutine is
// sound: the switch to home blocks whatever goroutine runs now, and home's next
// switch resumes that same one.
//
// Where threads have no number that can be asked for, code on a coroutine is taken
// for an ordinary goroutine.
func contextHere() *Context {
	if cx := currentContext(); cx != nil {
		return cx
	}
	if tid, ok := threadID(); ok {
		if w, ok := threads.Load(tid); ok {
			return w.(*worker).active
		}
	}
	return nil
}
