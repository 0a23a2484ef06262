package rt

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestRunReturnsItsFuture(t *testing.T) {
	f := &yielder{n: 100}
	if got := Run(f); got != f || f.n != 0 {
		t.Errorf("Run returned %p with n=%d, want %p with 0", got, f.n, f)
	}
}

func TestGoFromGoroutinesAndTasks(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		const senders, each = 8, 1000
		var polled atomic.Int64
		leaf := func() Future { return plainly(func() { polled.Add(1) }) }
		var wg sync.WaitGroup
		for range senders {
			wg.Go(func() {
				var tasks []Task
				for range each {
					tasks = append(tasks, r.Go(plainly(func() {
						polled.Add(1)
						r.Go(leaf()).Wait()
					})))
				}
				for _, h := range tasks {
					r.Run(plainly(h.Wait))
					if !h.Done() {
						t.Error("a task that was waited for is not done")
					}
				}
			})
		}
		wg.Wait()
		if got := polled.Load(); got != 2*senders*each {
			t.Errorf("%d tasks ran, want %d", got, 2*senders*each)
		}
		s := r.Stats()
		if s.Workers[0].Started == 0 || s.Workers[1].Started == 0 {
			t.Errorf("the tasks were not spread over the workers: %+v", s)
		}
	})
}

func TestTasksStayWhereTheyAreStarted(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		// Otherwise some might be given away on a busy machine.
		r, err := New(Config{Workers: 2, Driver: r.workers[0].drv.Name(), SharedNothing: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.Run(plainly(func() {
			here := currentContext().worker
			var others int
			var tasks []Task
			for range 100 {
				tasks = append(tasks, Go(plainly(func() {
					Yield()
					if currentContext().worker != here {
						others++
					}
				})))
			}
			for _, h := range tasks {
				h.Wait()
			}
			if others != 0 {
				t.Errorf("%d tasks went to another worker", others)
			}
		}))
	})
}

// A task that starts very many others does not keep them all to its worker.
func TestManyTasksAreSpread(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		const n = 10_000
		release := make(chan bool)
		gate := r.Go(newReceiver(release))
		h := r.Go(plainly(func() {
			for range n {
				f := gate.WaitAsync()
				r.Go(f)
			}
		}))
		r.Run(plainly(h.Wait))
		waitFor(t, func() bool { return r.Stats().Started >= n })
		s := r.Stats()
		if a, b := s.Workers[0].Started, s.Workers[1].Started; a < n/3 || b < n/3 {
			t.Errorf("%d tasks were started on one worker, %d on the other", a, b)
		}
		close(release)
	})
}

func TestZeroTaskIsDone(t *testing.T) {
	var h Task
	if !h.Done() {
		t.Error("not done")
	}
	h.Wait()
}

// Many wait for one task, from its own worker, from another and from
// goroutines.
func TestManyWaitForOneTask(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var gate Task
		release := make(chan bool)
		gate = r.Go(newReceiver(release))
		var wg sync.WaitGroup
		var woken atomic.Int64
		for range 20 {
			wg.Go(func() {
				gate.Wait()
				woken.Add(1)
			})
			wg.Go(func() {
				r.Run(plainly(func() {
					gate.Wait()
					woken.Add(1)
				}))
			})
		}
		if gate.Done() || woken.Load() != 0 {
			t.Error("the task is done too early")
		}
		close(release)
		wg.Wait()
		if woken.Load() != 40 {
			t.Errorf("%d were woken", woken.Load())
		}
	})
}

// A receiver is a frame, as cogen would generate it, of
//
//	<-ch
type receiver[T any] struct{ recv RecvFuture[T] }

func newReceiver[T any](ch chan T) *receiver[T] {
	f := new(receiver[T])
	f.recv.Init(ch)
	return f
}

func (f *receiver[T]) Poll(cx *Context) bool { return f.recv.Poll(cx) }

// A greedy future sees n operations that are ready at once.
type greedy struct{ n int }

func (f *greedy) Poll(cx *Context) bool {
	for ; f.n > 0; f.n-- {
		if !cx.proceed() {
			return false
		}
	}
	return true
}

// Tasks that could always go on let others run.
func TestBudget(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			const turns = 50
			hog := &greedy{n: 1 << 30}
			Go(hog)
			before := hog.n
			for range turns {
				Yield()
			}
			used := before - hog.n
			if used == 0 || used > (turns+1)*taskBudget {
				t.Errorf("%d operations in %d turns", used, turns)
			}
			hog.n = 1
		}))
	})
}

// Tasks that always yield starve neither timers nor other threads' messages.
func TestYieldersStarveNobody(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				r.Run(plainly(func() {
					for !stop.Load() {
						Yield()
					}
				}))
			})
			wg.Go(func() { r.Run(&flagWatcher{&stop}) })
		}
		r.Run(newSleeper(1e6))
		r.Run(newReceiver(readyChannel()))
		stop.Store(true)
		wg.Wait()
	})
}

func readyChannel() chan int {
	ch := make(chan int, 1)
	ch <- 1
	return ch
}

// A flagWatcher yields until the flag is set.
type flagWatcher struct{ flag *atomic.Bool }

func (f *flagWatcher) Poll(cx *Context) bool {
	if f.flag.Load() {
		return true
	}
	cx.Wake()
	return false
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	r := newRuntime(t, "", 1)
	defer r.Close()
	check := func(name string, want float64, f func()) {
		t.Helper()
		if got := testing.AllocsPerRun(200, f); got > want {
			t.Errorf("%s: %v allocations, want %v", name, got, want)
		}
	}
	r.Run(plainly(func() {
		ready := &yielder{}
		check("await something ready", 0, func() { Await(ready) })
		var frame yielder
		check("await a frame that is suspended", 0, func() {
			frame = yielder{n: 10}
			Await(&frame)
		})
		var sleep SleepFuture
		check("sleep", 0, func() {
			sleep.Init(1)
			Await(&sleep)
		})
		var done Task
		var wait TaskWaitFuture
		check("start, wait for and finish a task", 0, func() {
			ready.state = 0
			done = Go(ready)
			wait.Init(done)
			Await(&wait)
		})
	}))
}
