package rt

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// RuntimeStats are the totals of a runtime since it was started. Each worker
// publishes its own before it sleeps and now and then while it is busy, so
// they may lag a little behind.
type RuntimeStats struct {
	// Polls is how many times a task was polled, or its stack resumed.
	Polls uint64
	// Suspensions is how many times the stack of a task was set aside because
	// plain code had to wait.
	Suspensions uint64
	// Started and Finished count tasks.
	Started, Finished uint64
	// Workers has the same by worker, and more.
	Workers []WorkerStats
}

// Tasks returns the number of tasks alive.
func (s RuntimeStats) Tasks() int { return int(s.Started - s.Finished) }

// WorkerStats are the totals of one worker.
type WorkerStats struct {
	Polls, Suspensions, Started, Finished uint64
	// HandOffs is how many times the worker was handed to another thread because
	// a poll took too long.
	HandOffs uint64
	// Given is how many tasks were given to other workers before they began. They
	// count as started on both.
	Given uint64
	// Timers and InFlight are how many timers are running and how many
	// operations are under way.
	Timers, InFlight int
	// Stacks is how many stacks there are: those of tasks that wait in plain code,
	// those that are kept for the next ones, and those that threads run on.
	Stacks int
	// Driver is the name of the worker's driver, and Counters are its totals.
	Driver   string
	Counters driver.Counters
}

// Stats returns the totals of the default runtime.
func Stats() RuntimeStats { return Default().Stats() }

// Stats returns the totals of r.
func (r *Runtime) Stats() RuntimeStats {
	var s RuntimeStats
	for _, w := range r.workers {
		ws := WorkerStats{
			Polls:       w.shared.polls.Load(),
			Suspensions: w.shared.suspensions.Load(),
			// In this order, nobody sees more tasks finished than started.
			Finished: w.shared.finished.Load(),
			Started:  w.shared.started.Load(),
			HandOffs: w.shared.handOffs.Load(),
			Given:    w.shared.given.Load(),
			Timers:   int(w.shared.timers.Load()),
			InFlight: int(w.shared.inFlight.Load()),
			Stacks:   int(w.shared.stacks.Load()),
			Driver:   w.drv.Name(),
			Counters: w.drv.Counters(),
		}
		s.Polls += ws.Polls
		s.Suspensions += ws.Suspensions
		s.Started += ws.Started
		s.Finished += ws.Finished
		s.Workers = append(s.Workers, ws)
	}
	return s
}

// counters are a worker's own, which cost an increment each.
type counters struct {
	turns                        uint64
	polls, suspensions, finished uint64
	stacks                       int
}

// sharedCounters are what others see of them.
type sharedCounters struct {
	polls, suspensions, started, finished atomic.Uint64
	alive, timers, inFlight, stacks       atomic.Uint64
	handOffs, given                       atomic.Uint64
}

// publishTurns is the number of turns of a busy loop after which it publishes
// its counters.
const publishTurns = 64

// publish makes w's counters visible. Those that have not changed are not
// written, as an atomic write costs far more than a read.
func (w *worker) publish() {
	s := &w.shared
	publishTo(&s.polls, w.count.polls)
	publishTo(&s.suspensions, w.count.suspensions)
	publishTo(&s.started, w.count.finished+uint64(len(w.alive)))
	publishTo(&s.finished, w.count.finished)
	publishTo(&s.alive, uint64(len(w.alive)))
	publishTo(&s.timers, uint64(len(w.timers.entries)))
	publishTo(&s.stacks, uint64(w.count.stacks))
	publishTo(&s.inFlight, uint64(w.drv.InFlight()))
}

func publishTo(shared *atomic.Uint64, v uint64) {
	if shared.Load() != v {
		shared.Store(v)
	}
}
