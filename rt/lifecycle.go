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

// A taskList links the tasks alive on a worker, for those who have to find them
// all.
type taskList struct {
	first *task
	n     int
}

func (l *taskList) add(t *task) {
	t.succ = l.first
	if l.first != nil {
		l.first.prev = t
	}
	l.first = t
	l.n++
}

func (l *taskList) remove(t *task) {
	if t.prev != nil {
		t.prev.succ = t.succ
	} else {
		l.first = t.succ
	}
	if t.succ != nil {
		t.succ.prev = t.prev
	}
	t.prev, t.succ = nil, nil
	l.n--
}

// spawn starts f as a task of w on w's own thread.
func (w *worker) spawn(f Future, join *waiter) Task {
	t := w.spare.pop()
	if t == nil {
		t = &task{worker: w}
	}
	t.future = f
	t.waiters = join
	gen := t.word.Add(2) >> 1
	w.enlist(t)
	t.wakeLocal()
	return Task{t, gen}
}

// spawnFrom starts f as a task of w from another thread. It reports false if w
// has ended.
func (w *worker) spawnFrom(f Future, join *waiter) (Task, bool) {
	t, _ := w.freed.Get().(*task)
	if t == nil {
		t = &task{worker: w}
	}
	t.future = f
	t.waiters = join
	t.state = starting
	gen := t.word.Add(2|pending) >> 1
	return Task{t, gen}, w.deliver(t)
}

// enlist counts t in when it starts.
func (w *worker) enlist(t *task) {
	t.state = waiting
	w.alive.add(t)
	w.count.started++
}

// finish ends t and tells those who wait for it. It is called on w's thread.
func (w *worker) finish(t *task, o outcome) {
	w.alive.remove(t)
	w.count.finished++
	if t.state == ready {
		t.state = endedInQueue
	} else {
		t.state = ended
	}
	t.torn = o.kind != returned
	t.future, t.runner = nil, nil
	k := t.waiters
	t.waiters = nil
	// The generation goes first: those who are told must find the task done.
	t.word.Add(2)
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
	if w.spare.n < spareTasks {
		w.spare.push(t)
		return
	}
	t.next = nil
	w.freed.Put(t)
}
