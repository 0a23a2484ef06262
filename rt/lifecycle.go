package rt

// spareTasks is how many free task structs a worker keeps for itself.
const spareTasks = 256

// A taskStack keeps free task structs, linked through next.
type taskStack struct {
	top *task
	n   int
}

func (s *taskStack) pop() *task {
	t := s.top
	if t != nil {
		s.top = t.next
		s.n--
	}
	return t
}

func (s *taskStack) push(t *task) {
	t.next = s.top
	s.top = t
	s.n++
}

// A taskList has the tasks alive on a worker, for those who have to find them
// all. Each task knows its place in it.
type taskList []*task

func (l *taskList) add(t *task) {
	t.place = int32(len(*l))
	*l = append(*l, t)
}

func (l *taskList) remove(t *task) {
	n := len(*l) - 1
	last := (*l)[n]
	(*l)[t.place] = last
	last.place = t.place
	(*l)[n] = nil
	*l = (*l)[:n]
}

// spreadAbove is how many tasks a worker may have more than another one before
// it hands new ones over.
const spreadAbove = 256

// start starts f as a task, on the worker that cx is on, where it is cheapest, or
// if that has many tasks already on one that has fewer. Tasks stay where they are
// started, so that a worker that accepts connections would keep them all. The
// waiter, if not nil, is told when the task has finished.
func (cx *Context) start(f Future, k *waiter) Task {
	was := cx.enter()
	h := cx.worker.start(f, k)
	cx.exit(was)
	return h
}

func (w *worker) start(f Future, k *waiter) Task {
	if len(w.alive) > spreadAbove && w.runtime.sharing {
		peer := w.runtime.pick()
		if peer == w {
			peer = w.runtime.pick()
		}
		if peer != w && len(w.alive)-spreadAbove > peer.load() {
			if h, ok := peer.spawnFrom(f, k); ok {
				return h
			}
		}
	}
	return w.spawn(f, k)
}

// load returns the number of tasks that w has, or is going to have. Any thread
// may call it.
func (w *worker) load() int { return int(w.in.starting.Load()) + int(w.shared.alive.Load()) }

// spawn starts f as a task of w on w's own thread.
func (w *worker) spawn(f Future, k *waiter) Task {
	t := w.spare.pop()
	if t == nil {
		t = &task{worker: w}
	}
	t.future = f
	if k != nil {
		t.waiters = k
	}
	w.enlist(t)
	t.state = fresh
	w.runq.push(t)
	return Task{t, t.generation()}
}

// spawnFrom starts f as a task of w from another thread. It reports false if w
// has ended.
func (w *worker) spawnFrom(f Future, join *waiter) (Task, bool) {
	t, _ := w.freed.Get().(*task)
	// Setting the pending bit takes the struct, as far as w is concerned. It
	// fails if the bit is set because the last task's waking came too late, and
	// w is about to look at the struct: then that one is left alone.
	if t == nil || !t.word.CompareAndSwap(t.generation()<<1, t.generation()<<1|pending) {
		t = &task{worker: w}
		t.word.Store(pending)
	}
	t.future = f
	t.waiters = join
	t.state = starting
	h := Task{t, t.generation()}
	w.in.starting.Add(1)
	return h, w.deliver(t)
}

// enlist counts t in when it starts.
func (w *worker) enlist(t *task) {
	w.touch()
	t.state = waiting
	w.alive.add(t)
}

// finish ends t and tells those who wait for it. It is called on w's thread.
func (w *worker) finish(t *task, o outcome) {
	w.alive.remove(t)
	w.count.finished++
	if t.queued() {
		t.state = endedInQueue
	} else {
		t.state = ended
	}
	t.future = nil
	k := t.waiters
	if k != nil {
		t.waiters = nil
	}
	if o.kind != returned {
		t.torn = true
		t.runner = nil
	}
	// The generation goes first: those who are told must find the task done.
	word := t.word.Add(nextGeneration)
	if k == nil && t.state == ended && word&pending == 0 && !t.torn {
		w.free(t) // the usual end, without another look at the word
		return
	}
	for k != nil {
		// A waiter that has been notified is its owner's again.
		next := k.next
		w.readied = w.readied || k.parked != nil
		k.notify(o)
		k = next
	}
	w.release(t)
}

// release frees t, which has finished, unless it is still in one of the queues;
// then it is called again when t comes out. A task that was torn out of a
// poll may have left operations or timers behind that name it, so its struct is
// left to the collector.
func (w *worker) release(t *task) {
	switch {
	case t.state != ended || t.word.Load()&pending != 0:
	case t.torn:
		t.next = nil
	default:
		w.free(t)
	}
}

// free keeps the struct for another task.
func (w *worker) free(t *task) {
	t.state = spare
	if w.spare.n < spareTasks {
		w.spare.push(t)
		return
	}
	t.next = nil
	w.freed.Put(t)
}
