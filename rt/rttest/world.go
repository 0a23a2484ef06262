package rttest

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/internal/sim"
)

// A world is the driver of a simulated runtime (package driver has its rules), and
// everything around it.
type world struct {
	seed    uint64
	config  Config
	start   time.Time
	runtime any // the *rt.Runtime
	first   int32
	tests   *rand.Rand // for the test's use
	tb      testing.TB

	// What belongs to the worker.
	timer    *time.Timer
	finished bool // the test's function has returned
	polls    int

	woken chan struct{} // has room for one

	mu       sync.Mutex // guards what follows; sockets may be used by any goroutine
	chance   *rand.Rand
	trace    trace
	plans    planHeap
	planned  uint64
	done     []ending
	flying   int // operations in flight
	outside  []*driver.Op
	unserved []*socket // see serve
	sockets  map[int32]*socket
	opened   int32 // how many descriptors there have been
	bound    map[place][]*socket
	port     uint16 // the last one that was chosen
	hosts    map[netip.Addr]bool
	lender   driver.Lender
	count    driver.Counters
	closed   bool

	over    chan struct{} // closed when the test is to end
	ended   bool          // over is closed
	failure string
}

// An ending is the end of an operation, or a result that it brings before.
type ending struct {
	op   *driver.Op
	res  int32
	lent *driver.Buffer
	more bool
}

// The states of an operation (Op.State).
const (
	idle     uint8 = iota
	queuedOp       // in a queue of its socket
	endedOp        // its end is in done
	apart          // on a goroutine
)

const (
	// forever is how long a world waits for something to happen that it does not
	// know of: a timer of a goroutine's. If nothing does, nothing will.
	forever = 50 * 365 * 24 * time.Hour
	// lifetime is how much time may pass in a world.
	lifetime = 24 * time.Hour
	// mostPolls is how often tasks may be polled without time passing.
	mostPolls = 1 << 20
)

func newWorld(seed uint64, c Config) *world {
	w := &world{
		seed:    seed,
		config:  c,
		start:   time.Now(),
		tests:   rand.New(rand.NewPCG(seed, 1)),
		chance:  rand.New(rand.NewPCG(seed, 2)),
		timer:   time.NewTimer(forever),
		woken:   make(chan struct{}, 1),
		over:    make(chan struct{}),
		sockets: make(map[int32]*socket),
		bound:   make(map[place][]*socket),
		hosts:   make(map[netip.Addr]bool),
		port:    32767,
	}
	w.first = sim.Register(sockets{w})
	return w
}

func (w *world) release() {
	w.timer.Stop()
	sim.Unregister(w.first)
}

// Sockets implements [sim.World].
func (w *world) Sockets() sim.Sockets { return sockets{w} }

// now returns the time since the world began.
func (w *world) now() time.Duration { return time.Since(w.start) }

// note adds to the trace, with mu locked.
func (w *world) note(what happening, a, b int) {
	w.trace.add(event{w.now(), what, a, b})
}

// noteEnd notes the end of op. Results of real files are not the world's to determine.
func (w *world) noteEnd(op *driver.Op, res int32) {
	if op.FD.Sysfd >= sim.FirstFD {
		if op.Code == driver.Accept && res > 0 {
			res -= w.first
		}
		w.note(opEnded, int(op.FD.Sysfd-w.first), int(res))
	}
}

// Choose implements [sim.World].
func (w *world) Choose(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.chance.IntN(n)
}

// Polled implements [sim.World].
func (w *world) Polled(task int) {
	w.mu.Lock()
	w.note(taskPolled, task, 0)
	w.mu.Unlock()
	if w.polls++; w.polls > mostPolls {
		w.fail(fmt.Sprintf("tasks were polled %d times, and no time has passed", mostPolls))
	}
}

// Settle implements [sim.World].
func (w *world) Settle() {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, op := range w.outside {
		w.end(op, op.Res)
	}
	w.outside = w.outside[:0]
}

// Crashed implements [sim.World].
func (w *world) Crashed(err error) { w.fail("panic: " + err.Error()) }

// fail ends the test. It is called by the worker.
func (w *world) fail(why string) {
	if w.failure == "" {
		w.failure = why
	}
	w.leave()
}

// leave has the world end. It is called by the worker.
func (w *world) leave() {
	if !w.ended {
		w.ended = true
		close(w.over)
	}
}

// A plan is something that is going to happen.
type plan struct {
	at time.Duration
	n  uint64 // the order of those at the same time
	do func() // with mu locked
}

type planHeap []plan

func (h planHeap) Len() int { return len(h) }
func (h planHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].n < h[j].n
}
func (h planHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *planHeap) Push(p any)   { *h = append(*h, p.(plan)) }
func (h *planHeap) Pop() any {
	old := *h
	p := old[len(old)-1]
	old[len(old)-1] = plan{}
	*h = old[:len(old)-1]
	return p
}

// later has do called at a time, with mu locked. It is called so, too.
func (w *world) later(at time.Duration, do func()) {
	w.planned++
	heap.Push(&w.plans, plan{at, w.planned, do})
}

// happen does what is due.
func (w *world) happen() {
	now := w.now()
	for len(w.plans) > 0 && w.plans[0].at <= now {
		heap.Pop(&w.plans).(plan).do()
	}
}

// end has op end.
func (w *world) end(op *driver.Op, res int32) {
	op.State = endedOp
	w.done = append(w.done, ending{op: op, res: res})
}

// Name implements [driver.Driver].
func (w *world) Name() string { return "simulated" }

// InFlight implements [driver.Driver].
func (w *world) InFlight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flying
}

// Counters implements [driver.Driver].
func (w *world) Counters() driver.Counters {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// Wake implements [driver.Driver].
func (w *world) Wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// Poll implements [driver.Driver].
func (w *world) Poll() int {
	w.mu.Lock()
	w.happen()
	n := len(w.done)
	for range n {
		e := w.done[0]
		w.done = w.done[1:]
		e.op.Res, e.op.Lent, e.op.More = e.res, e.lent, e.more
		w.noteEnd(e.op, e.res)
		if !e.more {
			e.op.State = idle
			w.flying--
			w.count.Completed++
		}
		w.mu.Unlock()
		e.op.Owner.Complete(e.op)
		w.mu.Lock()
	}
	w.mu.Unlock()
	return n
}

// Wait implements [driver.Driver]. It is called when no task can run.
func (w *world) Wait(timeout time.Duration) int {
	w.mu.Lock()
	outside := len(w.outside) > 0
	w.mu.Unlock()
	if outside {
		w.Settle()
	}
	if n := w.Poll(); n > 0 || timeout == 0 {
		return n
	}
	w.polls = 0
	if !w.ended && w.finished && len(sim.Tasks(w.runtime)) == 0 {
		w.leave()
	}
	if !w.ended && w.now() > lifetime {
		w.fail(fmt.Sprintf("the test goes on for more than %v of its time", lifetime))
	}
	w.mu.Lock()
	w.count.Waits++
	if len(w.plans) > 0 {
		if left := w.plans[0].at - w.now(); timeout < 0 || left < timeout {
			timeout = left
		}
	}
	w.mu.Unlock()
	known := timeout >= 0
	if !known {
		timeout = forever
	}
	w.timer.Reset(timeout)
	select {
	case <-w.woken:
		w.timer.Stop()
	case <-w.timer.C:
		if w.tb.Failed() {
			w.leave() // a task that has failed may be missed by others
		}
		if !known && !w.ended {
			w.fail(w.deadlock())
		}
	}
	return w.Poll()
}

// deadlock describes one.
func (w *world) deadlock() string {
	var b strings.Builder
	b.WriteString("deadlock: all tasks wait, and nothing is going to happen")
	if w.finished {
		b.WriteString(" (the test's function has returned)")
	}
	for _, s := range sim.Tasks(w.runtime) {
		b.WriteString("\n\t" + s)
	}
	if s := waiting(); s != "" {
		b.WriteString("\n\n" + s)
	}
	return b.String()
}

// Close implements [driver.Driver].
func (w *world) Close() error {
	w.mu.Lock()
	w.closed = true
	for _, s := range w.inOrder() {
		w.giveUp(s)
	}
	// What is under way with files has been done.
	for plans := w.plans; len(plans) > 0; {
		heap.Pop(&plans).(plan).do()
	}
	w.plans = nil
	w.mu.Unlock()
	for w.InFlight() > 0 {
		if w.Poll() == 0 {
			w.Settle()
		}
	}
	return nil
}
