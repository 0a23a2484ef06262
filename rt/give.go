package rt

// Work that waits moves to workers that have none. A worker's state is its own, so
// nobody takes anything out of its queue: the worker that is busy gives, at the end
// of a turn, to those that it sees asleep. It looks now and then if it always
// has something to run and its polls are not very short; if one turn takes long, the monitor, which sees that some sleep
// while others do not come to an end, asks it to end its turn (nudge).
//
// What can be given is a task that was started here and has not been polled yet
// (state fresh). No driver, timer, stack or waker knows it, but its handle has
// been given out, and a handle belongs to a worker for good. So the future goes,
// and the task stays as one that waits for it, and passes on what comes of it.
// Tasks that have begun stay where they are.

// giveAfter is how long stampTurns turns take, in nanoseconds, of a worker that gives:
// the average poll is half a microsecond then. To wake another worker for less costs more
// than it saves.
const giveAfter = 500_000

// giveLook is how many tasks of the queue a worker looks at when it gives.
const giveLook = 256

// give hands tasks to workers that sleep.
func (w *worker) give() {
	w.asked.Store(false)
	if !w.runtime.sharing {
		return
	}
	idle := w.idlePeers()
	if len(idle) == 0 {
		return
	}
	var found, others []*task
	for range giveLook {
		switch t := w.runq.pop(); {
		case t == nil:
		case t.state == fresh:
			found = append(found, t)
		default:
			others = append(others, t)
		}
	}
	for _, t := range others {
		w.runq.push(t)
	}
	// Every idle worker gets as many as w keeps.
	n := len(found) * len(idle) / (len(idle) + 1)
	if len(found) > 0 {
		n = max(n, 1)
	}
	for i, t := range found {
		if i >= n || !w.passOn(t, idle[i%len(idle)]) {
			w.runq.push(t)
		}
	}
}

// idlePeers returns the other workers that sleep.
func (w *worker) idlePeers() (idle []*worker) {
	for _, peer := range w.runtime.workers {
		if peer != w && peer.in.sleeping.Load() {
			idle = append(idle, peer)
		}
	}
	return idle
}

// passOn has peer run the future of t, which is fresh and out of the queue, and t
// wait for it. It reports false if peer has ended.
func (w *worker) passOn(t *task, peer *worker) bool {
	f := &joinFuture{future: t.future, started: true}
	f.waiter.waker = Waker{t, t.generation()}
	f.waiter.joins = true
	// From here on f may be woken; w takes notice later.
	t.future, t.state = f, waiting
	if _, ok := peer.spawnFrom(f.future, &f.waiter); !ok {
		t.future, t.state = f.future, fresh
		return false
	}
	w.shared.given.Add(1)
	return true
}

// nudge makes w, whose turn has taken long while others sleep, give when its poll
// returns. The thread looks at robbed then in any case (H2).
func (w *worker) nudge() {
	r := &w.roles
	r.mu.Lock()
	defer r.mu.Unlock()
	if th := w.holder.Load(); th != nil && !r.ending {
		w.asked.Store(true)
		th.robbed.Store(true)
	}
}

// endTurn lets the current turn end with the poll that is under way.
func (w *worker) endTurn() {
	w.count.polls -= uint64(w.turn) // turnOver takes them for polls
	w.turn = 0
}
