package rt

import "time"

// A timer calls a function at a point in time. It lives in whatever waits for
// it and must not move while it is active. It belongs to one worker.
type timer struct {
	when int64 // nanotime
	fire func(*timer)
	// arg is whatever fire wants to find there.
	arg any
	// pos is one more than the timer's index in the heap, 0 when it is not
	// active.
	pos int32
}

// active reports whether t is yet to fire.
func (t *timer) active() bool { return t.pos != 0 }

// epoch is where nanotime starts to count. It carries a monotonic reading.
var epoch = time.Now()

// atEpoch is nanotime at epoch: so much that nanotime is positive also in a bubble of
// testing/synctest, where it is the year 2000. (A hundred years.)
const atEpoch = int64(100 * 365 * 24 * time.Hour)

// nanotime returns monotonic time in nanoseconds.
func nanotime() int64 { return atEpoch + int64(time.Since(epoch)) }

// startTimer has fire called with t on w's thread, between polls, soon after
// nanotime has reached when. A timer that is active is moved to the new time.
// It is called on w's thread.
func (w *worker) startTimer(t *timer, when int64, fire func(*timer)) {
	w.touch()
	w.timers.remove(t)
	// What is started when it is due already has to wait for the next turn, after
	// all that is due in this one: a timer that its fire function starts again
	// must not keep the worker from the others.
	t.when = max(when, w.fired+1)
	t.fire = fire
	w.timers.add(t)
}

// stopTimer makes sure that t does not fire any more. It is called on w's
// thread.
func (w *worker) stopTimer(t *timer) {
	w.touch()
	w.timers.remove(t)
}

// fireTimers calls the timers whose time has come, and returns how long it is
// until the next one's, negative if there is none.
func (w *worker) fireTimers() time.Duration {
	if w.timers.empty() {
		return -1
	}
	w.fired = nanotime()
	for !w.timers.empty() {
		first := w.timers.first()
		if first.when > w.fired {
			return time.Duration(first.when - w.fired)
		}
		w.timers.remove(first)
		first.fire(first)
	}
	return -1
}

// wakeOnFire is the fire function of a timer whose arg is the task to wake.
func wakeOnFire(t *timer) { t.arg.(*task).wakeLocal() }

// A timerHeap is a heap in which each entry has up to four children: half as
// deep as a binary one, and the children are next to each other in memory.
// Adding and removing take O(log n).
type timerHeap struct{ entries []timerEntry }

// A timerEntry has the time beside the timer, so that comparing does not visit
// the timers.
type timerEntry struct {
	when  int64
	timer *timer
}

const heapArity = 4

func (h *timerHeap) empty() bool   { return len(h.entries) == 0 }
func (h *timerHeap) first() *timer { return h.entries[0].timer }

// set puts e at index i.
func (h *timerHeap) set(i int, e timerEntry) {
	h.entries[i] = e
	e.timer.pos = int32(i + 1)
}

func (h *timerHeap) add(t *timer) {
	h.entries = append(h.entries, timerEntry{})
	h.up(len(h.entries)-1, timerEntry{t.when, t})
}

// remove takes t out of the heap, if it is in it.
func (h *timerHeap) remove(t *timer) {
	if t.pos == 0 {
		return
	}
	i := int(t.pos) - 1
	t.pos = 0
	n := len(h.entries) - 1
	last := h.entries[n]
	h.entries[n] = timerEntry{}
	h.entries = h.entries[:n]
	if i == n {
		return
	}
	// The last entry takes the place of the removed one, and may belong
	// either further up or further down.
	if i > 0 && last.when < h.entries[(i-1)/heapArity].when {
		h.up(i, last)
	} else {
		h.down(i, last)
	}
}

// up finds a place for e at the vacant index i or above it.
func (h *timerHeap) up(i int, e timerEntry) {
	for i > 0 {
		parent := (i - 1) / heapArity
		if h.entries[parent].when <= e.when {
			break
		}
		h.set(i, h.entries[parent])
		i = parent
	}
	h.set(i, e)
}

// down finds a place for e at the vacant index i or below it.
func (h *timerHeap) down(i int, e timerEntry) {
	for {
		least, begin := -1, heapArity*i+1
		for c := begin; c < min(begin+heapArity, len(h.entries)); c++ {
			if least < 0 || h.entries[c].when < h.entries[least].when {
				least = c
			}
		}
		if least < 0 || h.entries[least].when >= e.when {
			break
		}
		h.set(i, h.entries[least])
		i = least
	}
	h.set(i, e)
}
