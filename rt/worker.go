package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// A worker polls tasks. It is a role that one thread at a time holds, see [roles].
// Everything in it but what is marked belongs to the holder.
type worker struct {
	runtime *Runtime
	index   int
	drv     driver.Driver

	runq    runQueue
	turn    int // polls left in this turn of the loop
	timers  timerHeap
	fired   int64 // the time up to which timers have been called
	alive   taskList
	spare   taskStack // free task structs
	ops     opPool
	custody custody // the head of the list
	pipes   pipeStock

	// simulation is nil in runtimes that are not for tests.
	simulation *simulation
	readied    bool   // goroutines may have become runnable through this worker
	closing    bool   // the loop must end
	stopping   bool   // the loop has ended
	unwound    func() // see checkUnwinding
	elsewhere  int    // tasks in the lists due of threads
	noInflow   bool   // the driver cannot receive ahead

	count counters

	// What other threads look at.
	turns  mark // turns of the loop that have begun
	stamp  mark // nanotime at a recent turn, see stampTurns
	holder atomic.Pointer[thread]
	down   atomic.Bool // Shutdown has begun
	asked  atomic.Bool // the turn should end, to give

	// What other threads write to is kept off the cache lines of the rest.
	_      [64]byte
	in     inbound
	_      [64]byte
	shared sharedCounters
	freed  sync.Pool // free task structs for those who start tasks from elsewhere

	roles  roles
	wanted atomic.Bool // there are threads in roles.wanting

	stopped chan struct{} // closed when the worker has ended
	// closeErr is the driver's, to be read after stopped.
	closeErr error
}

const (
	// turnPolls is the number of polls after which the loop looks at its
	// driver, timers and inbound queue even if there are tasks to run. A look
	// costs up to one system call, a poll at least some nanoseconds.
	turnPolls = 64
	// idleRunners is how many runners without work a thread keeps.
	idleRunners = 64
	// stampTurns is the number of turns of a busy loop after which it looks at the
	// clock for the monitor's sake.
	stampTurns = 16
)

func newWorker(r *Runtime, index int) *worker {
	w := &worker{
		runtime: r,
		index:   index,
		turn:    turnPolls,
		stopped: make(chan struct{}),
	}
	w.runq.init()
	return w
}

// run is the goroutine of the worker's first thread. It reports on ready whether
// the driver could be made.
func (w *worker) run(ready chan<- error) {
	if w.simulation != nil {
		w.drv = check(w.simulation.world)
	} else {
		// The thread ends with the goroutine: it is never unlocked.
		runtime.LockOSThread()
		release, err := w.bind()
		if err == nil {
			defer release()
		}
		var drv driver.Driver
		if err == nil {
			drv, err = w.runtime.newDriver()
		}
		if err != nil {
			close(w.stopped)
			ready <- err
			return
		}
		w.drv = drv
	}
	th := newThread(w)
	w.roles.threads = append(w.roles.threads, th)
	w.holder.Store(th)
	ready <- nil
	th.serve()
}

// bind binds the calling thread to w's CPU, if it has one.
func (w *worker) bind() (release func(), err error) {
	cpus := w.runtime.cpus
	if len(cpus) == 0 {
		return func() {}, nil
	}
	return bindThread(cpus[w.index%len(cpus)])
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
	w, th := cx.worker, cx.thread
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
				if !w.resumeHere(th, t) {
					continue
				}
				if !cx.park() {
					return cx.retire()
				}
				continue
			}
			t.state = waiting
			if cx.task != t {
				cx.task = t
			}
		poll:
			cx.budget = taskBudget
			th.gate.set(uint64(w.turn) + 1) // H1
			done := t.future.Poll(cx)
			th = cx.thread // it may have been suspended, and taken over (H6)
			th.gate.set(0)
			if th.robbed.Load() {
				th.comeBack(false)
			}
			if done {
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
		w.turnOver(th)
		if th.trims && !w.closing && !cx.park() {
			return cx.retire()
		}
		if w.closing {
			w.stopping = true
			return cx.retire()
		}
	}
}

// resumeHere arranges for t, whose stack is suspended, to be resumed next. If the
// stack is another thread's that is away, th takes it over; if that cannot be, or
// the other one is on standby, it is left to that one (H6), and resumeHere reports
// false.
func (w *worker) resumeHere(th *thread, t *task) bool {
	cx := t.runner
	if owner := cx.thread; owner != th {
		// The stack that a thread is away on is not suspended (H4).
		if !owner.robbed.Load() || owner.active == cx || cx.runner.Rehome() != nil {
			owner.due.push(t)
			w.elsewhere++
			return false
		}
		cx.thread = th
	}
	th.resume = w.takeStack(t)
	return true
}

// retire ends the loop in order.
func (cx *Context) retire() (again bool) {
	cx.task = nil
	cx.orderly = true
	return false
}

// park sets the idle runner aside until home has a use for it. It reports
// false if there are enough of them and this one should end.
func (cx *Context) park() bool {
	cx.task = nil
	if !cx.thread.runners.Put(cx.runner) {
		return false
	}
	cx.runner.Suspend()
	return true
}

// suspend sets the stack of the current task aside until the task is woken.
func (cx *Context) suspend() {
	cx.enter()
	cx.task.runner = cx
	cx.worker.count.suspensions++
	if cx.again {
		cx.again = false
		cx.task.wakeLocal()
	}
	cx.runner.Suspend()
	cx.budget = taskBudget
	cx.exit(uint64(cx.worker.turn) + 1) // a poll of its own
}

// caught is deferred by the loop to deal with what tasks do to it. A panic ends
// the task, and the loop is entered again. A Goexit ends the task and the runner
// with it, and home takes another one.
func (cx *Context) caught(again *bool) {
	if cx.orderly {
		return
	}
	v := recover()
	cx.enter()
	t := cx.task
	var crash *crash
	if v != nil {
		crash = cx.crashOf(v)
	}
	cx.task, cx.again = nil, false
	switch {
	case v != nil:
		if t == nil || !t.handsOver() {
			if w := cx.worker; w.simulation == nil || t == nil {
				panic(crash)
			} else {
				w.simulation.world.Crashed(crash)
			}
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
func (w *worker) turnOver(th *thread) {
	if w.simulation != nil {
		w.simulate()
		return
	}
	w.count.polls += uint64(turnPolls - w.turn)
	w.turn = turnPolls
	w.count.turns++
	w.turns.set(w.count.turns)
	if w.stopping {
		return // another thread has ended the loop, and closed the inbound queue
	}
	w.receive()
	timeout := w.fireTimers()
	if w.elsewhere > 0 && w.runq.empty() && w.drv.InFlight() > 0 {
		// The role is passed on, to a thread that may be in a poll and not get here.
		w.drv.Poll()
	}
	switch {
	case !w.runq.empty() || w.closing:
		if w.drv.InFlight() > 0 {
			w.drv.Poll()
		}
		if w.asked.Load() {
			w.give()
		}
		if w.count.turns%stampTurns == 0 {
			now := nanotime()
			if now-int64(w.stamp.get()) >= giveAfter {
				w.give()
			}
			w.stamp.set(uint64(now))
			if w.count.turns%publishTurns == 0 {
				w.publish()
			}
		}
	case w.readied || th.readied:
		w.publish()
		w.readied, th.readied = false, false
		w.giveWay()
	case w.elsewhere > 0 && th.cede():
		return
	default:
		w.publish()
		w.sleep(th.patience(timeout))
	}
	if w.wanted.Load() || w.elsewhere > 0 {
		th.cede()
	}
}

// giveWay is called instead of sleeping, once, when tasks may have made
// goroutines runnable. The scheduler puts those in the queue of the processor
// that this thread holds, and the thread would keep that while it waits in
// the driver, for up to 10 ms, until the runtime's monitor notices: if all
// others are held in the same way the goroutines would wait as long. Yielding
// gives it up at once. It costs some microseconds.
func (w *worker) giveWay() {
	runtime.Gosched()
}

// sleep waits in the driver, see [inbound] for why no wake-up is lost.
func (w *worker) sleep(timeout time.Duration) {
	w.in.sleeping.Store(true)
	if !w.in.empty() || w.wanted.Load() {
		timeout = 0
	}
	w.drv.Wait(timeout)
	w.in.sleeping.Store(false)
	if m := w.runtime.monitor; m != nil {
		m.kick()
	}
}

// abandon ends the tasks of w, but for those of other threads than th, which
// holds the role (H4, H6). It is called on th's home, when the loop has ended.
func (w *worker) abandon(th *thread) {
	if w.unwound == nil {
		w.unwound = checkUnwinding()
	}
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
	for i := len(w.alive) - 1; i >= 0; i = min(i, len(w.alive)) - 1 {
		t := w.alive[i]
		switch cx := t.runner; {
		case cx == nil:
			w.finish(t, outcome{kind: abandoned})
		case cx.thread == th:
			t.runner = nil
			th.active = cx
			cx.runner.Kill()
			w.count.stacks--
			i = len(w.alive) // it may have started others
		}
	}
}

// shutdown ends what is left when the last thread ends.
func (w *worker) shutdown() {
	w.runq.init()
	w.timers = timerHeap{}
	w.in.sleeping.Store(false)
	for w.in.wakers.Load() != 0 {
		runtime.Gosched()
	}
	w.closeErr = w.drv.Close()
	w.unwound()
	w.abandonAll()
	w.pipes.closeAll()
	w.publish()
}
