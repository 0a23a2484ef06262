package rt

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// A task is a root future with what the scheduler knows about it.
//
// Task structs are used again, each always by the same worker: worker never
// changes, and the fields marked as the owner's are touched by that worker's
// thread only, except while the struct is being handed over at a start from
// elsewhere.
type task struct {
	next   *task // owner: link of the run queue, stale outside it, or the free list
	future Future
	worker *worker

	// word is the generation shifted left by one, and the pending bit. The
	// generation is what tells a struct's uses apart: it goes up by one when a
	// task finishes. The pending bit is set while the task is in the worker's
	// inbound queue, by whoever puts it there, and cleared by the worker.
	word    atomic.Uint64
	inbound *task // link of the inbound queue, guarded by the pending bit

	runner  *Context  // owner: the suspended stack, if the task has one; see also H4
	waiters *waiter   // owner: who is told when the task has finished
	place   int32     // owner: index in the list of the tasks alive
	state   taskState // owner
	torn    bool      // owner: has finished in another way than by returning true
}

// A taskState is where a task is in its life. The states are tested and set as
// constants, never combined: then the processor predicts them, and a task's
// resumption does not wait for the bits of its suspension.
type taskState uint8

const (
	starting     taskState = iota // sent to its worker, which has not seen it yet
	waiting                       // alive, suspended or being polled
	ready                         // alive and in the run queue
	fresh                         // the same, started here and not polled yet
	ended                         // finished
	endedInQueue                  // finished, and in the run queue
	spare                         // in a list of free structs
)

const (
	pending        = 1 // the low bit of task.word
	nextGeneration = 2 // what to add to task.word
)

// generation returns the task's current generation.
func (t *task) generation() uint64 { return t.word.Load() >> 1 }

// queued reports whether t is to be polled and in the run queue.
func (t *task) queued() bool { return t.state == ready || t.state == fresh }

// wakeLocal makes t runnable. It is called on the thread of t's worker. Waking
// a task that is queued or has finished does nothing.
func (t *task) wakeLocal() {
	t.worker.touch()
	if t.state == waiting {
		t.state = ready
		t.worker.runq.push(t)
	}
}

// Complete makes the task runnable when one of its operations has ended.
func (t *task) Complete(*driver.Op) { t.wakeLocal() }

// wake makes t runnable, from any thread. It is for those who know that t is
// suspended in their future; if it has just finished, the struct's next task
// may be polled spuriously. See [Waker] for a handle that tells them apart.
func (t *task) wake() {
	if cx := currentContext(); cx != nil && cx.worker == t.worker {
		if was, ok := cx.thread.tryEnter(); ok {
			t.wakeLocal()
			cx.exit(was)
			return
		}
	}
	t.wakeFrom(t.generation())
}

// wakeFrom puts t into its worker's inbound queue, unless it is there already
// or is no longer in generation gen.
func (t *task) wakeFrom(gen uint64) {
	if t.word.CompareAndSwap(gen<<1, gen<<1|pending) {
		t.worker.deliver(t)
	}
}
