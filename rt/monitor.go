package rt

import (
	"sync/atomic"
	"time"
)

// A monitor is the goroutine of a runtime that looks for polls that do not come
// back. It looks at marks that the workers set anyway, at intervals of the
// threshold, as long as some worker is busy. When all sleep it does too, and the
// first worker to wake kicks it.
//
// No kick is lost: the monitor sets idle and then looks whether a worker is not
// asleep; a worker that wakes clears its sleeping flag and then looks at
// idle; all of these are atomic.
type monitor struct {
	threshold time.Duration
	idle      atomic.Bool
	kicked    chan struct{} // has room for one
	stop      chan struct{}
	ended     chan struct{}
}

func newMonitor(threshold time.Duration) *monitor {
	return &monitor{
		threshold: threshold,
		kicked:    make(chan struct{}, 1),
		stop:      make(chan struct{}),
		ended:     make(chan struct{}),
	}
}

// kick is called by workers that have woken.
func (m *monitor) kick() {
	if m.idle.Load() {
		m.wake()
	}
}

func (m *monitor) wake() {
	if m.idle.CompareAndSwap(true, false) {
		select {
		case m.kicked <- struct{}{}:
		default:
		}
	}
}

// watch is the monitor's goroutine.
func (m *monitor) watch(workers []*worker) {
	defer close(m.ended)
	sights := make([]sight, len(workers))
	timer := time.NewTimer(m.threshold)
	defer timer.Stop()
	last := nanotime()
	for {
		select {
		case <-timer.C:
		case <-m.kicked:
		case <-m.stop:
			return
		}
		now := nanotime()
		// A look that comes late was itself held up, by a thread that did not let
		// go of its processor.
		late := now-last >= 2*int64(m.threshold)
		last = now
		for i, w := range workers {
			s := &sights[i]
			if s.look(w, now, int64(m.threshold), late); s.slow && len(w.idlePeers()) > 0 {
				w.nudge()
			}
		}
		if asleep(workers) && m.rest(workers) {
			timer.Stop()
			continue
		}
		timer.Reset(m.threshold)
	}
}

// rest makes the monitor idle, and reports false if it has to go on.
func (m *monitor) rest(workers []*worker) bool {
	m.idle.Store(true)
	if asleep(workers) {
		return true
	}
	// Who has woken meanwhile may have seen idle not yet set. If it has seen it,
	// there is a kick to come, which does no harm.
	m.idle.Store(false)
	return false
}

func asleep(workers []*worker) bool {
	for _, w := range workers {
		if !w.in.sleeping.Load() {
			return false
		}
	}
	return true
}

// A sight is what the monitor has seen of a worker.
type sight struct {
	holder *thread
	turns  uint64
	gate   uint64
	since  int64 // when this was seen first
	slow   bool  // the turn has lasted since the last look
}

// look takes the role from w's holder if it has been in one poll for too long.
func (s *sight) look(w *worker, now, threshold int64, late bool) {
	th := w.holder.Load()
	if th == nil || w.in.sleeping.Load() {
		*s = sight{}
		return
	}
	turns, gate := w.turns.get(), th.gate.get()
	s.slow = s.holder == th && s.turns == turns
	switch {
	case s.holder != th || s.turns != turns:
		*s = sight{holder: th, turns: turns, gate: gate, since: now}
		// With as many busy threads as processors the monitor runs when the
		// scheduler has preempted one of them, after 10 ms or more. It need not wait
		// as long again if hardly any turns were made in the meantime.
		if stamp := int64(w.stamp.get()); late && gate != 0 && now-stamp >= 2*threshold {
			w.rob(th)
		}
	case gate != 0 && gate != s.gate:
		s.gate, s.since = gate, now // another poll of the same turn
	case now-s.since >= threshold:
		// A gate that is closed may have been closed by the same poll.
		w.rob(th)
	}
}
