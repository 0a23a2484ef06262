package rt

import (
	"sync"
	"sync/atomic"
)

// Hand-off: what keeps a poll that does not come back from holding up everything
// else on its worker.
//
// A worker is a role: a run queue, timers, a driver. One thread at a time holds
// it, and only the holder touches what belongs to the worker. When the holder
// is away in a poll for longer than a threshold, because the poll blocks in a
// system call, in a native channel operation or in C, or computes, the
// runtime's monitor (monitor.go) takes the role from it and gives it to a standby
// thread, which goes on with the loop: all other tasks, timers and completions
// of the worker are served. The thread that was robbed notices when its poll next
// calls into the runtime or returns. There it waits until it has the role again,
// and then goes on as if nothing had happened: the poll has run on one thread,
// and what it finds of the worker is as consistent as after any other call. It
// may find that more time has passed than it thought.
//
// Why nobody is robbed while he touches the worker's state:
//
//	H1. A thread's gate is open (not 0) while the thread is in code of users
//	    within a poll, and only then. The loop opens it before it calls Poll and
//	    closes it (0) afterwards. Calls from there into the runtime that touch
//	    the worker's state do so between enter, which closes the gate, and
//	    exit, which restores what it was. Between them no code of users is called
//	    and nothing waits, but for locks that are held for moments. Whoever holds
//	    such a lock must not call enter.
//	H2. Whoever closes his own gate looks at robbed afterwards. If it is set he
//	    takes roles.mu and looks whether he is the holder. If not he queues in
//	    roles.wanting, rouses the holder and waits for his turn.
//	H3. The monitor robs under roles.mu: it sets robbed, passes a fence, and
//	    then looks at the gate. If it is open the monitor makes another thread the
//	    holder. Otherwise it leaves robbed set, so that the thread comes to
//	    roles.mu when it next closes its gate: see H5.
//
// Closing and looking at robbed are an ordinary store and a load, which the
// processor may swap; the fence of H3, which a processor-wide barrier provides at
// the robber's expense, rules out that both sides miss each other. So if the
// robber saw the gate open, the thread sees robbed when it next closes it, and
// cannot get past H2; all that it did before it opened the gate is visible to
// the robber, and through roles.mu and turn to the next holder. If the robber saw
// the gate closed, the thread still is the holder. This is Dekker's algorithm with an
// asymmetric fence, as in "Asymmetric Dekker Synchronization" (Dice, Huang and
// Yang, 2001).
//
//	H4. While its thread is robbed, a task that is being polled is marked as if
//	    its stack were suspended on that thread (task.runner), so nobody else
//	    polls it or abandons it. A wake-up is kept for it as in H6.
//	H5. At the end of a turn the holder gives the role back: to threads that want
//	    it, the first in the queue first, and then waits in roles.standby. So
//	    whoever comes back has the role again after one turn; if the holder is
//	    away by then he will be robbed too. A thread that was caught with its gate
//	    closed, because its poll calls into the runtime again and again, steps
//	    aside by itself when it does so next, for one turn.
//	H6. A stack that is suspended belongs to the thread it ran on (package
//	    stackful). If its task can run while that thread is away, the holder takes
//	    the stack over, unless the engine that switches stacks, or what the code on
//	    it has done, does not allow that. Otherwise the task waits in that
//	    thread's list due, and the role is passed on to the thread at the end of
//	    the turn, if it is on standby. Frames, which are all that most tasks have,
//	    run on whichever thread holds the role.
//	H7. Threads do not end before their worker: requests in a ring are bound to
//	    the thread that submitted them, and cancelled when that exits. So a
//	    worker has as many threads as it ever had polls away at the same time
//	    and one, like Go's own threads for system calls. When all workers of the
//	    program have maxThreads more than they need, none is robbed whose
//	    role nobody is there to take: Go ends programs that have 10,000.
//
// Operations that a robbed thread has submitted to a ring go on. Their completion
// needs that thread to run a little of the kernel's code (task work): if it
// sleeps in the kernel it is woken for that and then sleeps on, unless the sleep
// is of the uninterruptible kind, which is short; if it computes, this
// happens at its next interrupt, at the latest that of the clock.
//
// A thread is robbed only while it polls for a task. The callbacks of timers and
// functions given to exec run with the gate closed; they are the runtime's own
// and do not block.
type roles struct {
	mu      sync.Mutex
	threads []*thread // those that have not ended
	standby []*thread // wait for a turn, with their gates closed; the last one came last
	wanting []*thread // were robbed, have come back, and wait for a turn
	ending  bool      // the loop has ended, nobody is robbed any more
}

// enter begins a stretch of code that touches the state of the worker, within a
// poll or outside one (H1). It returns what exit needs.
func (th *thread) enter() (was uint64) {
	was = th.gate.get()
	th.gate.set(0)
	if th.robbed.Load() {
		th.comeBack(was != 0)
	}
	return was
}

// tryEnter is enter for those who must not wait, because they may hold a lock that
// the holder wants between enter and exit. It reports false if th has been
// robbed; then there is nothing to exit from.
func (th *thread) tryEnter() (was uint64, ok bool) {
	was = th.gate.get()
	th.gate.set(0)
	if th.robbed.Load() {
		th.gate.set(was)
		return 0, false
	}
	return was, true
}

// exit ends what enter began.
func (th *thread) exit(was uint64) { th.gate.set(was) }

// enter is called by futures, in Poll, before they touch anything that belongs
// to the worker, or look at what its thread may be changing, such as whether an
// operation has ended or a timer has fired (H1).
func (cx *Context) enter() (was uint64) { return cx.thread.enter() }

// exit ends what enter began.
func (cx *Context) exit(was uint64) { cx.thread.exit(was) }

// comeBack is called when th has closed its gate and found robbed set, and returns
// when th holds the role (H2). If th still does and was asked to step aside, and
// comes from a poll that goes on, it robs itself first (H5).
func (th *thread) comeBack(fromPoll bool) {
	w := th.worker
	r := &w.roles
	r.mu.Lock()
	if w.holder.Load() == th {
		stepAside := th.asked && fromPoll && !r.ending
		th.asked = false
		th.robbed.Store(false)
		if !stepAside || !w.replace(th) {
			if w.asked.Load() {
				w.endTurn()
			}
			r.mu.Unlock()
			return
		}
	}
	if w.holder.Load() == nil {
		r.give(w, th) // the others have ended
	} else {
		r.wanting = append(r.wanting, th)
		w.wanted.Store(true)
	}
	r.mu.Unlock()
	w.rouse()
	th.await()
	if w.stopping {
		w.turn = 0 // nothing else is polled any more
	}
}

// await waits for th's turn, and takes over what was put aside for th (H4, H6).
func (th *thread) await() {
	<-th.turn
	w := th.worker
	if cx := th.active; cx != nil && cx.task != nil && cx.task.runner == cx {
		cx.task.runner = nil // the task that th is polling
	}
	// They have waited in the queue once. Behind the others they might not be reached in
	// this turn, while others are put aside in it, and so on in turns.
	w.elsewhere -= w.runq.prepend(&th.due)
}

// give makes th the holder. It is called under mu.
func (r *roles) give(w *worker, th *thread) {
	th.asked = false
	th.robbed.Store(false)
	w.holder.Store(th)
	th.turn <- struct{}{}
}

// cede gives the role to a thread that has come back, or that has tasks which can
// only run there, and returns true when th has it again. It returns false if
// there is no such thread. It is called at the end of a turn.
func (th *thread) cede() bool {
	w := th.worker
	w.roles.mu.Lock()
	next := w.roles.successor(w)
	if next == nil {
		w.roles.mu.Unlock()
		return false
	}
	w.roles.standby = append(w.roles.standby, th)
	w.roles.give(w, next)
	w.roles.mu.Unlock()
	th.await()
	return true
}

// successor takes out the thread that should have the role next, nil if none
// asks for it.
func (r *roles) successor(w *worker) *thread {
	if len(r.wanting) > 0 {
		th := r.wanting[0]
		r.wanting = r.wanting[1:]
		w.wanted.Store(len(r.wanting) > 0)
		return th
	}
	for i, th := range r.standby {
		if !th.due.empty() {
			r.standby = append(r.standby[:i], r.standby[i+1:]...)
			return th
		}
	}
	return nil
}

// rob takes the role from th if th is still the holder and in a poll (H3). If th is
// in the runtime's code at the moment, it is asked to step aside (H5).
func (w *worker) rob(th *thread) {
	r := &w.roles
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending || w.holder.Load() != th {
		return
	}
	th.robbed.Store(true)
	fence()
	if th.gate.get() == 0 {
		th.asked = true
		return
	}
	if !w.replace(th) {
		th.robbed.Store(false)
	}
}

// replace makes another thread the holder in place of th, which is in a poll and
// can touch nothing (H4). It reports false if there is no other and there must not be
// more (H7). It is called under mu.
func (w *worker) replace(th *thread) bool {
	r := &w.roles
	var next *thread
	switch n := len(r.standby) - 1; {
	case n >= 0:
		next = r.standby[n]
		r.standby = r.standby[:n]
	case extraThreads.Add(1) <= maxThreads:
		next = newThread(w)
		r.threads = append(r.threads, next)
		go next.run()
	default:
		extraThreads.Add(-1)
		// One that has come back goes on with its poll, which may stay away again
		// before anything else gets a turn; so it is the last choice.
		if len(r.wanting) == 0 {
			return false
		}
		next = r.successor(w)
	}
	th.active.task.runner = th.active
	th.robbed.Store(true)
	w.shared.handOffs.Add(1)
	r.give(w, next)
	return true
}

// extraThreads counts the threads that replace has made, in all runtimes (H7).
var extraThreads atomic.Int64

// maxThreads is a variable for the sake of a test.
var maxThreads int64 = 4096

// leave takes th, which holds the role and ends, out of the roles, and gives
// its own to another thread. It returns true if th was the last one.
func (r *roles) leave(w *worker, th *thread) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
	for i := range r.threads {
		if r.threads[i] == th {
			r.threads = append(r.threads[:i], r.threads[i+1:]...)
			break
		}
	}
	switch n := len(r.standby) - 1; {
	case len(r.threads) == 0:
		return true
	case len(r.wanting) > 0:
		r.give(w, r.successor(w))
	case n >= 0:
		next := r.standby[n]
		r.standby = r.standby[:n]
		r.give(w, next)
	default:
		// All others are away. The first to come back takes it.
		w.holder.Store(nil)
	}
	return false
}
