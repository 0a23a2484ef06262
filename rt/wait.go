package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A waiter waits for a task to finish. It is in the task's list of waiters,
// which the task's worker guards, until it is notified.
type waiter struct {
	next *waiter
	// Exactly one of the three is set: a goroutine waits on parked, a task is
	// woken by waker, and a crew is told that one of its members has finished.
	parked *signal
	waker  Waker
	member *member
	// joins says that the waiter takes the task's panic or Goexit upon
	// itself.
	joins   bool
	outcome outcome
	done    atomic.Bool // set last, for tasks
}

// notify hands the waiter back to its owner.
func (k *waiter) notify(o outcome) {
	k.outcome = o
	if k.parked != nil {
		k.parked.send()
		return
	}
	if k.member != nil {
		k.member.ended(o)
		return
	}
	waker := k.waker
	k.done.Store(true)
	waker.Wake()
}

// handsOver reports whether someone takes a panic of t upon himself.
func (t *task) handsOver() bool {
	for k := t.waiters; k != nil; k = k.next {
		if k.joins {
			return true
		}
	}
	return false
}

// goroutineWaiters are waiters for goroutines.
var goroutineWaiters = sync.Pool{New: func() any {
	return &waiter{parked: newSignal()}
}}

// newGoroutineWaiter returns a waiter for the calling goroutine.
func newGoroutineWaiter(joins bool) *waiter {
	k := goroutineWaiters.Get().(*waiter)
	k.joins = joins
	return k
}

// park waits until k, which is the calling goroutine's, is notified, and gives k
// back.
func (k *waiter) park() outcome {
	k.parked.wait()
	o := k.outcome
	k.outcome = outcome{}
	k.next = nil
	goroutineWaiters.Put(k)
	return o
}

// runFrom runs f as a task of r and parks the calling goroutine until it has
// finished.
func (r *Runtime) runFrom(f Future) {
	k := newGoroutineWaiter(true)
	if _, ok := r.pick().spawnFrom(f, k); !ok {
		panic(ErrClosed)
	}
	o := k.park()
	if o.kind == abandoned && r.workers[0].simulation != nil {
		runtime.Goexit() // the test has failed; a panic would hide why
	}
	o.surface()
}

// A Task is a handle to a task that was started with [Go]. It is a small value
// that may be copied, and stays valid when the task has finished. The zero Task
// is one that has finished.
type Task struct {
	task *task
	gen  uint64
}

// Done reports whether the task has finished.
func (h Task) Done() bool { return h.task == nil || h.task.generation() != h.gen }

// Wait waits until the task has finished, in whatever way.
func (h Task) Wait() {
	if h.Done() {
		return
	}
	if contextHere() != nil {
		f := h.WaitAsync()
		block(f)
		return
	}
	k := newGoroutineWaiter(false)
	// A worker that has ended has finished all its tasks.
	if h.task.worker.exec(func() { h.enlist(k) }) {
		k.park()
	}
}

// enlist has k notified when the task has finished, at once if it has. It is
// called on the thread of the task's worker.
func (h Task) enlist(k *waiter) {
	if h.Done() {
		h.task.worker.readied = true
		k.notify(outcome{})
		return
	}
	k.next = h.task.waiters
	h.task.waiters = k
}

// WaitAsync is the companion of [Task.Wait].
func (h Task) WaitAsync() *TaskWaitFuture { return &TaskWaitFuture{handle: h} }

// A TaskWaitFuture waits for a task to finish.
type TaskWaitFuture struct {
	handle  Task
	waiter  waiter
	started bool
}

// Init prepares f to wait for h.
func (f *TaskWaitFuture) Init(h Task) {
	f.handle = h
	f.started = false
}

// Poll implements [Future].
func (f *TaskWaitFuture) Poll(cx *Context) bool {
	if f.started {
		return f.waiter.done.Load()
	}
	if f.handle.Done() {
		return cx.proceed()
	}
	f.started = true
	f.waiter.waker = cx.Waker()
	f.waiter.done.Store(false)
	if cx.worker == f.handle.task.worker {
		was := cx.enter()
		f.enlist()
		cx.exit(was)
		return false
	}
	return !f.handle.task.worker.exec(f.enlist)
}

func (f *TaskWaitFuture) enlist() { f.handle.enlist(&f.waiter) }

// Result has nothing to tell; it is there for generated code.
func (f *TaskWaitFuture) Result() {}

// A joinFuture runs another future as a task of its own, on a runtime that is
// not the waiter's, and takes its panic or Goexit upon itself.
type joinFuture struct {
	runtime *Runtime // nil for what was given to another worker of the same runtime
	future  Future
	waiter  waiter
	started bool
}

// Poll implements [Future].
func (f *joinFuture) Poll(cx *Context) bool {
	if !f.started {
		f.started = true
		f.waiter.waker = cx.Waker()
		f.waiter.joins = true
		if _, ok := f.runtime.pick().spawnFrom(f.future, &f.waiter); !ok {
			panic(ErrClosed)
		}
		return false
	}
	if !f.waiter.done.Load() {
		return false
	}
	if f.runtime == nil && f.waiter.outcome.kind == abandoned {
		// The other worker has ended first. This one is about to, and then abandons what
		// stands for the task here.
		return false
	}
	f.waiter.outcome.surface()
	return true
}
