package rt

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// verify checks the order of the heap and the positions of the timers.
func (h *timerHeap) verify(t *testing.T) {
	t.Helper()
	for i, e := range h.entries {
		if e.timer.pos != int32(i+1) || e.when != e.timer.when {
			t.Fatalf("entry %d is of a timer at %d with pos %d", i, e.timer.when, e.timer.pos)
		}
		if i > 0 && h.entries[(i-1)/heapArity].when > e.when {
			t.Fatalf("entry %d is before its parent", i)
		}
	}
}

// The heap does what a sorted list does, whatever happens to it.
func TestTimerHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := &worker{}
	timers := make([]timer, 200)
	active := map[*timer]bool{}
	for range 20_000 {
		x := &timers[rng.IntN(len(timers))]
		switch rng.IntN(4) {
		case 0, 1:
			w.startTimer(x, rng.Int64N(1000), nil)
			active[x] = true
		case 2:
			w.stopTimer(x)
			delete(active, x)
		case 3:
			if w.timers.empty() {
				continue
			}
			first := w.timers.first()
			for x := range active {
				if x.when < first.when {
					t.Fatalf("the first is at %d, but one is at %d", first.when, x.when)
				}
			}
			w.stopTimer(first)
			delete(active, first)
		}
		if len(active) != len(w.timers.entries) {
			t.Fatalf("%d timers in the heap, want %d", len(w.timers.entries), len(active))
		}
		w.timers.verify(t)
	}
}

// onWorker calls f on w's thread and waits for it.
func onWorker(w *worker, f func()) {
	done := make(chan bool)
	w.exec(func() {
		f()
		close(done)
	})
	<-done
}

func TestTimersFireInOrder(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		w := r.workers[0]
		const n = 500
		timers := make([]timer, n)
		var fired []int64
		all := make(chan bool)
		onWorker(w, func() {
			now := nanotime()
			for _, i := range rand.Perm(n) {
				w.startTimer(&timers[i], now+int64(i)*20_000, func(x *timer) {
					if nanotime() < x.when {
						t.Error("a timer fired too early")
					}
					if x.active() {
						t.Error("a timer that fires is active")
					}
					fired = append(fired, x.when)
					if len(fired) == n/2 {
						close(all)
					}
				})
			}
			for i := 1; i < n; i += 2 {
				w.stopTimer(&timers[i])
				w.stopTimer(&timers[i])
			}
		})
		<-all
		if !slices.IsSorted(fired) {
			t.Error("timers fired out of order")
		}
		onWorker(w, func() {
			if len(fired) != n/2 || !w.timers.empty() {
				t.Errorf("%d fired, %d are left", len(fired), len(w.timers.entries))
			}
		})
	})
}

// Fire functions may start and stop timers, themselves and others.
func TestTimersInFire(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		w := r.workers[0]
		var x, y timer
		ticks := 0
		done := make(chan bool)
		onWorker(w, func() {
			w.startTimer(&y, nanotime()+1e15, func(*timer) { t.Error("y fired") })
			w.startTimer(&x, 0, func(x *timer) {
				if ticks++; ticks < 10 {
					w.startTimer(x, nanotime(), x.fire)
					w.startTimer(&y, y.when+1, y.fire)
					return
				}
				w.stopTimer(&y)
				close(done)
			})
		})
		<-done
	})
}

// A timer that is always due does not keep the worker from anything else.
func TestTimerAlwaysDue(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		w := r.workers[0]
		var x timer
		onWorker(w, func() {
			w.startTimer(&x, 0, func(x *timer) { w.startTimer(x, 0, x.fire) })
		})
		r.Run(newSleeper(time.Millisecond))
		r.Run(&yielder{n: 10})
		onWorker(w, func() { w.stopTimer(&x) })
	})
}

func TestSleepLastsLongEnough(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		for _, d := range []time.Duration{-1, 0, 1, time.Microsecond, 1500 * time.Microsecond, 20 * time.Millisecond} {
			f := SleepAsync(d)
			start := time.Now()
			r.Run(f)
			if took := time.Since(start); took < d {
				t.Errorf("slept %v of %v", took, d)
			}
			start = time.Now()
			r.Run(plainly(func() { Sleep(d) }))
			if took := time.Since(start); took < d {
				t.Errorf("slept %v of %v in plain form", took, d)
			}
		}
	})
}

// A sleep that is too long for the clock is still a sleep.
func TestSleepForEver(t *testing.T) {
	r := newRuntime(t, "", 1)
	h := r.Go(newSleeper(1<<63 - 1))
	r.Run(newSleeper(time.Millisecond))
	if h.Done() {
		t.Error("it ended")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestManySleepers(t *testing.T) {
	n := 100_000
	if raceEnabled || testing.Short() {
		n = 10_000
	}
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var wg sync.WaitGroup
		var woken atomic.Int64
		wg.Go(func() {
			r.Run(&spawner{n: n, make: func() Future {
				return &then{
					future: newSleeper(time.Duration(rand.IntN(100)) * time.Millisecond),
					f:      func() { woken.Add(1) },
				}
			}})
		})
		wg.Wait()
		if woken.Load() != int64(n) {
			t.Errorf("%d woke up", woken.Load())
		}
		// They were suspended and resumed once each, not polled meanwhile.
		if polls := r.Stats().Polls; polls > uint64(4*n) {
			t.Errorf("%d polls for %d tasks", polls, n)
		}
	})
}

// A then calls f when the future has finished.
type then struct {
	future Future
	f      func()
}

func (p *then) Poll(cx *Context) bool {
	if !p.future.Poll(cx) {
		return false
	}
	p.f()
	return true
}
