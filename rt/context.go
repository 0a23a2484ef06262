package rt

import (
	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/stackful"
)

// A Context tells a future being polled what it needs: which task it is part
// of and which worker polls it. It is valid for a task during the whole of a
// poll, also when plain code below it suspends its stack.
//
// There is one per runner. The runner that the poll loop is on is the active
// one; each of the others is idle in the pool, or holds the stack of one
// task that waits in plain code.
type Context struct {
	task   *task
	worker *worker
	thread *thread
	// budget is how many operations that were ready at once the task may
	// still see in this poll, see proceed.
	budget int
	// again is set when the task asked to be polled again. It takes effect
	// when the poll has returned, or when the stack is set aside.
	again  bool
	runner *stackful.Runner
	// scope is the innermost one that what is polled now is part of, nil if it
	// cannot be cancelled. Whoever sets it restores it; see scope.poll.
	scope *scope
	// orderly is set when the poll loop returns of its own accord, to tell
	// that from a Goexit.
	orderly bool
	// raised is the panic that a task was last handed by one that it waited for, and
	// raisedIn that task.
	raised   *crash
	raisedIn Waker
}

// taskBudget is the number of ready operations after which a task yields. It
// bounds how long one task that is always ready can hold the worker, at a cost
// that is spread over so many operations.
const taskBudget = 64

// Wake asks that the current task be polled again soon. A future that calls it
// and returns false has yielded.
func (cx *Context) Wake() { cx.again = true }

// Waker returns a handle with which anyone can wake the current task.
func (cx *Context) Waker() Waker {
	t := cx.task
	return Waker{t, t.generation()}
}

// proceed is asked by a leaf future that could finish at once. It returns true
// if it may. If not, the task has used up its budget and has been woken for
// another poll: the leaf returns false, and finishes in that poll.
func (cx *Context) proceed() bool {
	cx.budget--
	if cx.budget >= 0 {
		return true
	}
	cx.Wake()
	return false
}

// submit starts op for the current task and reports whether it has ended at
// once. If not, the task is woken when it has; op.State is 0 then.
//
// An operation that ends at once costs budget. When the budget is used up
// submit returns false all the same, and the task is woken to find the
// operation ended.
func (cx *Context) submit(op *driver.Op) bool {
	op.Owner = cx.task
	was := cx.enter()
	cx.worker.touch()
	ended := cx.worker.drv.Submit(op)
	cx.exit(was)
	return ended && cx.proceed()
}

// currentContext returns the context of the runner that the calling code is
// on, nil if it is on an ordinary goroutine.
func currentContext() *Context {
	r := stackful.Current()
	if r == nil {
		return nil
	}
	return r.Data().(*Context)
}

// mustHaveTask panics in code that a worker calls outside any task: a callback
// of a timer or a function given to exec. It has no stack that could be set
// aside.
func (cx *Context) mustHaveTask() {
	if cx.task == nil {
		panic("rt: cannot wait in a callback on a worker")
	}
}
