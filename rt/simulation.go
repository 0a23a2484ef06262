package rt

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cogen-go/cogen/rt/internal/sim"
)

// A simulation is what a worker has more in a runtime for tests, see package rttest:
// its turns are of a single poll, and a seeded choice decides between them which task
// is next. So a seed determines everything that tasks do. Other goroutines come to
// rest before each poll, so that what they do and send is part of it.
//
// The worker is not locked to a thread: to come to rest would take two switches between
// threads each time, some fifty times as much as otherwise.
type simulation struct {
	world sim.World
	queue []*task
	// numbers has those of the tasks that have run.
	numbers map[Task]int
	count   int
}

func init() {
	sim.New = func(world sim.World) any { return newSimulated(world) }
	sim.Tasks = func(r any) []string { return r.(*Runtime).workers[0].describe() }
}

// newSimulated makes a runtime of one worker in a simulated world.
func newSimulated(world sim.World) *Runtime {
	r := new(Runtime)
	w := newWorker(r, 0)
	w.simulation = &simulation{world: world, numbers: make(map[Task]int)}
	if err := r.add(w); err != nil {
		panic(err) // nothing can fail
	}
	return r
}

// simulate is turnOver in a simulation.
func (w *worker) simulate() {
	s := w.simulation
	w.turn = 1
	w.count.polls++
	w.count.turns++
	timeout := w.fireTimers()
	w.drv.Poll()
	switch {
	case w.closing:
	case !w.runq.empty():
		s.settle(w)
		s.choose(w)
	case !w.in.empty():
		s.settle(w)
	default:
		w.publish()
		w.sleep(timeout)
	}
}

// settle waits until other goroutines have come to rest, and takes in what they have
// sent.
func (s *simulation) settle(w *worker) {
	s.world.Settle()
	if w.in.empty() {
		return
	}
	w.receive()
	for t := w.runq.pop(); t != nil; t = w.runq.pop() {
		s.queue = append(s.queue, t)
	}
	// In an order that does not depend on who of those was the fastest.
	slices.SortFunc(s.queue, func(a, b *task) int { return cmp.Compare(a.place, b.place) })
	for _, t := range s.queue {
		w.runq.push(t)
	}
	s.queue = s.queue[:0]
}

// choose puts the task that is to run next at the head of the run queue.
func (s *simulation) choose(w *worker) {
	for t := w.runq.pop(); t != nil; t = w.runq.pop() {
		s.queue = append(s.queue, t)
	}
	next := 0
	if len(s.queue) > 1 {
		next = s.world.Choose(len(s.queue))
	}
	t := s.queue[next]
	w.runq.push(t)
	for i, other := range s.queue {
		if i != next {
			w.runq.push(other)
		}
		s.queue[i] = nil
	}
	s.queue = s.queue[:0]
	if t.queued() {
		s.world.Polled(s.number(t))
	}
}

// number returns t's.
func (s *simulation) number(t *task) int {
	h := Task{t, t.generation()}
	n := s.numbers[h]
	if n == 0 {
		s.count++
		n = s.count
		s.numbers[h] = n
	}
	return n
}

// describe says what the tasks of w are, and where those that are frames wait: the table
// above the type of a frame has the line for each of its states.
func (w *worker) describe() []string {
	var list []string
	for _, t := range w.alive {
		s := fmt.Sprintf("task %d: %T", w.simulation.number(t), t.future)
		if t.runner != nil {
			s += ", in plain code"
		} else if f := reflect.Indirect(reflect.ValueOf(t.future)); f.Kind() == reflect.Struct {
			if state := f.FieldByName("state"); state.CanInt() {
				s += fmt.Sprintf(", state %d", state.Int())
			}
		}
		list = append(list, s)
	}
	return list
}

// bubbled reports whether the calling goroutine is in a bubble of testing/synctest,
// where times have no monotonic part.
func bubbled() bool {
	t := time.Now()
	return t == t.Round(0)
}

// contextOnCoroutine is contextHere for code that is on a goroutine which is none of the
// runners': nil unless that is a coroutine. Only the task that is polled can have
// switched to it, as far as tasks switch to coroutines at all.
func (w *worker) contextOnCoroutine() *Context {
	buf := make([]byte, 64<<10)
	stack := string(buf[:runtime.Stack(buf, false)])
	if at := strings.LastIndex(stack, "\ncreated by "); at >= 0 && strings.HasPrefix(stack[at:], "\ncreated by iter.Pull") {
		return w.holder.Load().active
	}
	return nil
}

// simulated returns the runtime of the simulation that the calling goroutine is part
// of, nil if it is of none.
func simulated() *Runtime {
	if r := sim.Active.Load(); r != nil && bubbled() {
		return (*r).(*Runtime)
	}
	return nil
}

// worldHere returns the simulated world that the calling code is part of, nil if it is
// of none.
func worldHere() sim.World {
	if cx := currentContext(); cx != nil {
		if s := cx.worker.simulation; s != nil {
			return s.world
		}
		return nil
	}
	if r := simulated(); r != nil {
		return r.workers[0].simulation.world
	}
	return nil
}
