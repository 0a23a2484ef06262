package rt

import "sync/atomic"

// An inbound queue is how other threads reach a worker: any number of them
// push, the worker takes everything at once. It holds tasks to be run and
// functions to be called, and the flag that tells whether the worker sleeps.
//
// No wake-up is lost. A sender pushes (P), then looks at the flag (F). The
// worker sets the flag (S), then looks whether anything was pushed (L), and only
// then waits. All four are atomic operations, which Go orders in one total
// order consistent with each thread's own. If the sender's F missed the flag,
// F comes before S, so P before L, and L sees what was pushed. Otherwise the
// sender calls the driver's Wake, which ends the wait that is under way or
// the next one. Of several senders the one that clears the flag does it.
type inbound struct {
	tasks atomic.Pointer[task]
	calls atomic.Pointer[call]
	// starting is the number of tasks in the queue that are new.
	starting atomic.Int64
	sleeping atomic.Bool
	// wakers counts the senders between seeing the flag and having called
	// Wake. The worker waits for them before it closes its driver.
	wakers atomic.Int32
}

// A call is a function to be called on the worker's thread.
type call struct {
	next *call
	fn   func()
}

// The queues of a worker that has ended hold these.
var (
	closedTasks task
	closedCalls call
)

// pushTask reports false if the worker has ended.
func (q *inbound) pushTask(t *task) bool {
	for {
		head := q.tasks.Load()
		if head == &closedTasks {
			return false
		}
		t.inbound = head
		if q.tasks.CompareAndSwap(head, t) {
			return true
		}
	}
}

// pushCall reports false if the worker has ended.
func (q *inbound) pushCall(c *call) bool {
	for {
		head := q.calls.Load()
		if head == &closedCalls {
			return false
		}
		c.next = head
		if q.calls.CompareAndSwap(head, c) {
			return true
		}
	}
}

// takeTasks empties the queue of tasks and returns them, the oldest first.
// With a sentinel for last it closes the queue.
func (q *inbound) takeTasks(last *task) *task {
	if q.tasks.Load() == last {
		return nil // nothing there, or closed already
	}
	var oldest *task
	for t := q.tasks.Swap(last); t != nil; {
		next := t.inbound
		t.inbound = oldest
		oldest = t
		t = next
	}
	return oldest
}

// takeCalls is takeTasks for the functions.
func (q *inbound) takeCalls(last *call) *call {
	if q.calls.Load() == last {
		return nil
	}
	var oldest *call
	for c := q.calls.Swap(last); c != nil; {
		next := c.next
		c.next = oldest
		oldest = c
		c = next
	}
	return oldest
}

// empty reports whether there is nothing to take.
func (q *inbound) empty() bool { return q.tasks.Load() == nil && q.calls.Load() == nil }

// deliver hands t, whose pending bit the caller has set, to the worker. It
// reports false if the worker has ended.
func (w *worker) deliver(t *task) bool {
	if !w.in.pushTask(t) {
		return false
	}
	w.rouse()
	return true
}

// exec has fn called on w's thread soon, between polls. Any thread may call
// it, w's own too. It reports false, and drops fn, if w has ended. The
// function must not wait.
func (w *worker) exec(fn func()) bool {
	if !w.in.pushCall(&call{fn: fn}) {
		return false
	}
	w.rouse()
	return true
}

// rouse ends w's sleep after something was pushed.
func (w *worker) rouse() {
	if !w.in.sleeping.Load() {
		return
	}
	w.in.wakers.Add(1)
	if w.in.sleeping.CompareAndSwap(true, false) {
		w.drv.Wake()
	}
	w.in.wakers.Add(-1)
}

// receive takes in what other threads have sent.
func (w *worker) receive() {
	for t := w.in.takeTasks(nil); t != nil; {
		next := t.inbound
		t.inbound = nil
		w.admit(t)
		t = next
	}
	for c := w.in.takeCalls(nil); c != nil; c = c.next {
		c.fn()
	}
}

// admit takes a task out of the inbound queue: a new one, or one to wake.
func (w *worker) admit(t *task) {
	// Once the pending bit is cleared, a spare struct may be taken by those who
	// start tasks from elsewhere; so its state is read before.
	state := t.state
	t.word.And(^uint64(pending))
	switch state {
	case starting:
		w.enlist(t)
		t.wakeLocal()
		w.shared.alive.Store(uint64(len(w.alive)))
		w.in.starting.Add(-1)
	case ended:
		// It finished meanwhile, and could not be freed as long as it was in
		// this queue.
		w.release(t)
	case ready, fresh, endedInQueue, spare:
	case waiting:
		t.wakeLocal()
	}
}
