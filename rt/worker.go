package rt

import (
	"runtime"
	"sync"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/stackful"
)

// A worker is one thread that polls tasks. Its goroutine is locked to the
// thread, because drivers and runners are bound to it. Everything in it but in
// and freed belongs to that thread.
//
// The worker's goroutine itself, "home", only switches between runners; the
// poll loop runs on the active runner, and so does everything the loop calls.
type worker struct {
	runtime *Runtime
	index   int
	drv     driver.Driver

	runq   runQueue
	turn   int // polls left in this turn of the loop
	timers timerHeap
	fired  int64 // the time up to which timers have been called
	alive  taskList
	spare  taskStack // free task structs
	ops    opPool

	runners  stackful.Pool
	active   *Context // the runner that home switched to last
	resume   *Context // the runner home is to switch to, nil for any idle one
	stress   stressor
	readied  bool // goroutines may have become runnable through this worker
	closing  bool // the loop must end
	stopping bool // the loop has ended
	noInflow bool // the driver cannot receive ahead

	count counters

	// What other threads write to is kept off the cache lines of the rest.
	_      [64]byte
	in     inbound
	_      [64]byte
	shared sharedCounters
	freed  sync.Pool // free task structs for those who start tasks from elsewhere

	stopped chan struct{} // closed when the worker has ended
	// closeErr is the driver's, to be read after stopped.
	closeErr error
}

const (
	// turnPolls is the number of polls after which the loop looks at its
	// driver, timers and inbound queue even if there are tasks to run. A look
	// costs up to one system call, a poll at least some nanoseconds.
	turnPolls = 64
	// idleRunners is how many runners without work a worker keeps.
	idleRunners = 64
)

func newWorker(r *Runtime, index int) *worker {
	w := &worker{
		runtime: r,
		index:   index,
		turn:    turnPolls,
		runners: stackful.Pool{Limit: idleRunners},
		stopped: make(chan struct{}),
	}
	w.runq.init()
	return w
}

// run is the worker's goroutine. It reports on ready whether the driver could
// be made.
func (w *worker) run(ready chan<- error) {
	// The thread ends with the goroutine: it is never unlocked.
	runtime.LockOSThread()
	defer close(w.stopped)
	drv, err := w.runtime.newDriver()
	if err != nil {
		ready <- err
		return
	}
	w.drv = drv
	ready <- nil
	if tid, ok := threadID(); ok {
		threads.Store(tid, w)
		defer threads.Delete(tid)
	}
	for !w.stopping {
		w.active = w.next()
		w.active.runner.Resume()
	}
	w.shutdown()
}

// next returns the context of the runner to switch to: the one that the last
// runner asked for, or the stack of the task that is to run next if it has one,
// which saves going through another runner, or else any idle runner.
func (w *worker) next() *Context {
	if cx := w.resume; cx != nil {
		w.resume = nil
		return cx
	}
	if t := w.runq.peek(); t != nil && t.runner != nil && w.turn > 0 {
		w.turn--
		return w.takeStack(w.runq.pop())
	}
	if r := w.runners.Get(); r != nil {
		return r.Data().(*Context)
	}
	cx := &Context{worker: w}
	cx.runner = stackful.New(cx, cx.main)
	return cx
}

// takeStack takes the suspended stack of t, which was popped from the run queue,
// to be resumed.
func (w *worker) takeStack(t *task) *Context {
	t.state = waiting
	cx := t.runner
	t.runner = nil
	return cx
}

// main is what a runner runs: the poll loop, again after a panic.
func (cx *Context) main() {
	for cx.loop() {
	}
}

// loop polls tasks until the runner has to end (false) or a panic in a task
// has been dealt with (true).
func (cx *Context) loop() (again bool) {
	defer cx.caught(&again)
	w := cx.worker
	for {
		for w.turn > 0 {
			t := w.runq.pop()
			if t == nil {
				break
			}
			w.turn--
			if t.state == endedInQueue {
				t.state = ended
				w.release(t)
				continue
			}
			if t.runner != nil {
				w.resume = w.takeStack(t)
				if !cx.park() {
					return cx.leave()
				}
				continue
			}
			t.state = waiting
			if cx.task != t {
				cx.task = t
			}
		poll:
			cx.budget = taskBudget
			if t.future.Poll(cx) {
				cx.again = false
				w.finish(t, outcome{})
				continue
			}
			if cx.again {
				cx.again = false
				// If nobody else wants to run there is no need for the queue.
				if w.runq.empty() && w.turn > 0 {
					w.turn--
					goto poll
				}
				t.wakeLocal()
			}
		}
		cx.task = nil
		w.turnOver()
		if w.closing {
			w.stopping = true
			return cx.leave()
		}
	}
}

// leave ends the loop in order.
func (cx *Context) leave() (again bool) {
	cx.task = nil
	cx.orderly = true
	return false
}

// park sets the idle runner aside until home has a use for it. It reports
// false if there are enough of them and this one should end.
func (cx *Context) park() bool {
	cx.task = nil
	if !cx.worker.runners.Put(cx.runner) {
		return false
	}
	cx.runner.Suspend()
	return true
}

// suspend sets the stack of the current task aside until the task is woken.
func (cx *Context) suspend() {
	cx.task.runner = cx
	cx.worker.count.suspensions++
	if cx.again {
		cx.again = false
		cx.task.wakeLocal()
	}
	cx.runner.Suspend()
	cx.budget = taskBudget
}

// caught is deferred by the loop to deal with what tasks do to it. A panic ends
// the task, and the loop is entered again. A Goexit ends the task and the runner
// with it, and home takes another one.
func (cx *Context) caught(again *bool) {
	if cx.orderly {
		return
	}
	v := recover()
	t := cx.task
	var crash *crash
	if v != nil {
		crash = cx.crashOf(v)
	}
	cx.task, cx.again = nil, false
	switch {
	case v != nil:
		if t == nil || !t.handsOver() {
			panic(crash)
		}
		cx.worker.finish(t, outcome{kind: panicked, crash: crash})
		*again = true
	case t != nil && cx.worker.stopping:
		cx.worker.finish(t, outcome{kind: abandoned})
	case t != nil:
		cx.worker.finish(t, outcome{kind: exited})
	}
}

// turnOver ends a turn of the loop: it looks at everything that can make tasks
// runnable, and sleeps if nothing did.
func (w *worker) turnOver() {
	w.count.polls += uint64(turnPolls - w.turn)
	w.turn = turnPolls
	w.receive()
	timeout := w.fireTimers()
	if !w.runq.empty() || w.closing {
		if w.drv.InFlight() > 0 {
			w.drv.Poll()
		}
		w.count.turns++
		if w.count.turns%publishTurns == 0 {
			w.publish()
		}
		return
	}
	w.publish()
	if w.readied {
		w.giveWay()
		return
	}
	w.sleep(timeout)
}

// giveWay is called instead of sleeping, once, when tasks may have made
// goroutines runnable. The scheduler puts those in the queue of the processor
// that this thread holds, and the thread would keep that while it waits in
// the driver, for up to 10 ms, until the runtime's monitor notices: if all
// others are held in the same way the goroutines would wait as long. Yielding
// gives it up at once. It costs some microseconds.
func (w *worker) giveWay() {
	w.readied = false
	runtime.Gosched()
}

// sleep waits in the driver, see [inbound] for why no wake-up is lost.
func (w *worker) sleep(timeout time.Duration) {
	w.in.sleeping.Store(true)
	if !w.in.empty() {
		timeout = 0
	}
	w.drv.Wait(timeout)
	w.in.sleeping.Store(false)
}

// shutdown ends everything that is left on w, on home's stack.
func (w *worker) shutdown() {
	// From here on nothing new comes in.
	for t := w.in.takeTasks(&closedTasks); t != nil; {
		next := t.inbound
		w.admit(t)
		t = next
	}
	for c := w.in.takeCalls(&closedCalls); c != nil; c = c.next {
		c.fn()
	}
	// Stacks are unwound, so that the goroutines under them end and deferred
	// calls run. These can start tasks and call anything but cannot wait.
	for len(w.alive) > 0 {
		t := w.alive[len(w.alive)-1]
		if cx := t.runner; cx != nil {
			t.runner = nil
			w.active = cx
			cx.runner.Kill()
			continue
		}
		w.finish(t, outcome{kind: abandoned})
	}
	w.runners.Close()
	w.runq.init()
	w.timers = timerHeap{}
	w.in.sleeping.Store(false)
	for w.in.wakers.Load() != 0 {
		runtime.Gosched()
	}
	w.closeErr = w.drv.Close()
	w.publish()
}
