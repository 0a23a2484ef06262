package rt

// A runQueue is a FIFO of tasks, linked through next. It takes as few writes of
// pointers as possible, because each costs a look at the collector's state:
// tasks are pushed to one list and popped from another, which is replaced by
// the first when it is empty, and both end at a known last task and not at
// a nil link.
//
// So the link of a task outside the queue may be stale. Freeing a task's struct
// overwrites it, which keeps chains of stale links from holding memory.
type runQueue struct {
	first, last *task // being popped
	tail        *task // the last one pushed, or &stub
	stub        task
}

func (q *runQueue) init() {
	q.first, q.last = nil, nil
	q.tail = &q.stub
}

func (q *runQueue) push(t *task) {
	q.tail.next = t
	q.tail = t
}

func (q *runQueue) empty() bool { return q.first == nil && q.tail == &q.stub }

// peek returns the task that pop would return.
func (q *runQueue) peek() *task {
	if q.first == nil && !q.refill() {
		return nil
	}
	return q.first
}

// pop takes the oldest task out, nil if there is none.
func (q *runQueue) pop() *task {
	t := q.first
	if t == nil {
		if !q.refill() {
			return nil
		}
		t = q.first
	}
	if t == q.last {
		q.first = nil
	} else {
		q.first = t.next
	}
	return t
}

// prepend moves all of o to the front of q, and returns how many that are.
func (q *runQueue) prepend(o *runQueue) (n int) {
	first := o.pop()
	if first == nil {
		return 0
	}
	last := first
	for n = 1; !o.empty(); n++ {
		t := o.pop()
		last.next = t
		last = t
	}
	if q.first == nil {
		q.last = last
	} else {
		last.next = q.first
	}
	q.first = first
	return n
}

// refill makes what was pushed what will be popped.
func (q *runQueue) refill() bool {
	if q.tail == &q.stub {
		return false
	}
	q.first, q.last = q.stub.next, q.tail
	q.tail = &q.stub
	q.stub.next = nil
	return true
}
