package rt

// A Waker wakes one task. It is a small value that can be copied, kept as long
// as one likes and used by any goroutine, also after the task has finished,
// when it does nothing. The zero Waker does nothing.
type Waker struct {
	task *task
	gen  uint64
}

// Wake makes the task be polled again soon. Wakes that come before that poll
// are one.
func (k Waker) Wake() {
	t := k.task
	if t == nil || t.generation() != k.gen {
		return
	}
	if cx := currentContext(); cx != nil && cx.worker == t.worker {
		if was, ok := cx.thread.tryEnter(); ok {
			// From here on nobody else can finish the task.
			if t.generation() == k.gen {
				t.wakeLocal()
			}
			cx.exit(was)
			return
		}
	}
	t.wakeFrom(k.gen)
}

// wakeHere is Wake on the thread of the task's worker.
func (k Waker) wakeHere() {
	if k.task.generation() == k.gen {
		k.task.wakeLocal()
	}
}
