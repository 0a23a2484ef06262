package rt

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/stackful"
)

// A thread is an OS thread that can hold a worker's role, see [roles]. Its goroutine
// is locked to it, because drivers and runners are bound to threads.
//
// The goroutine itself, "home", only switches between runners; the poll loop runs
// on the active runner, and so does everything the loop calls.
type thread struct {
	worker *worker

	// gate is not 0 while the thread is in code of users: then it is one more
	// than the polls that are left in the turn, which tells polls apart.
	gate   mark
	robbed atomic.Bool
	asked  bool          // to step aside, under roles.mu
	turn   chan struct{} // gets an element when the thread is made the holder

	// The rest is the thread's own, but for due, which is the holder's.

	runners stackful.Pool
	active  *Context // the runner that home switched to last
	resume  *Context // the runner home is to switch to, nil for any idle one
	stress  stressor
	readied bool // goroutines may have become runnable through a poll
	// due has the tasks that can run and whose stacks are on this thread, while
	// another one holds the role (H6).
	due runQueue

	trimAt int64 // when trims will be set, 0 if that has not been decided
	trims  bool  // home is to end idle runners
}

func newThread(w *worker) *thread {
	th := &thread{
		worker:  w,
		turn:    make(chan struct{}, 1),
		runners: stackful.Pool{Limit: idleRunners},
	}
	th.due.init()
	return th
}

// threads finds the thread that runs the calling code, by its number.
var threads sync.Map // of int to *thread

// run is the goroutine of a standby thread.
func (th *thread) run() {
	// The thread ends with the goroutine: it is never unlocked.
	runtime.LockOSThread()
	// If the worker's CPU was taken from the process meanwhile, any will do.
	if release, err := th.worker.bind(); err == nil {
		defer release()
	}
	th.await()
	th.serve()
	extraThreads.Add(-1)
}

// serve is home: it switches to runners until the worker ends. It is called on
// the goroutine that is locked to the thread, with the role held.
func (th *thread) serve() {
	if tid, ok := threadID(); ok && th.worker.simulation == nil {
		threads.Store(tid, th)
		defer threads.Delete(tid)
	}
	w := th.worker
	for !w.stopping {
		if th.trims {
			th.trim()
		}
		th.active = th.next()
		if !th.active.runner.Resume() {
			w.count.stacks--
		}
	}
	w.abandon(th)
	w.count.stacks -= th.runners.Close()
	if w.roles.leave(w, th) {
		w.shutdown()
		close(w.stopped)
	}
}

// next returns the context of the runner to switch to: the one that the last
// runner asked for, or the stack of the task that is to run next if it has one,
// which saves going through another runner, or else any idle runner.
func (th *thread) next() *Context {
	if cx := th.resume; cx != nil {
		th.resume = nil
		return cx
	}
	w := th.worker
	if t := w.runq.peek(); t != nil && t.runner != nil && t.runner.thread == th && w.turn > 0 {
		w.turn--
		return w.takeStack(w.runq.pop())
	}
	if r := th.runners.Get(); r != nil {
		return r.Data().(*Context)
	}
	cx := &Context{worker: w, thread: th}
	cx.runner = stackful.New(cx, cx.main)
	w.count.stacks++
	return cx
}

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
// An ordinary goroutine may move between learning its thread's number and looking
// it up, while the thread that it was on becomes a worker's. If the number is
// the same afterwards, it is a worker's thread that the code is on: such a thread
// runs nothing else.
//
// Where threads have no number that can be asked for, code on a coroutine is taken
// for an ordinary goroutine.
func contextHere() *Context {
	if cx := currentContext(); cx != nil {
		return cx
	}
	if r := simulated(); r != nil {
		return r.workers[0].contextOnCoroutine()
	}
	tid, ok := threadID()
	if !ok {
		return nil
	}
	if th, ok := threads.Load(tid); ok {
		if again, _ := threadID(); again == tid {
			return th.(*thread).active
		}
	}
	return nil
}
