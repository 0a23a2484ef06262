package rt

import (
	"sync/atomic"
	"testing"
	"time"
)

// A busyFrame computes for a while without a call into the runtime.
type busyFrame struct {
	d   time.Duration
	ran *atomic.Int64
}

func (f *busyFrame) Poll(*Context) bool {
	for begin := time.Now(); time.Since(begin) < f.d; {
	}
	f.ran.Add(1)
	return true
}

// Tasks that have not begun go to workers that sleep while theirs has a lot to do,
// whether its turns are long or it has many.
func TestTasksAreGiven(t *testing.T) {
	for _, d := range []time.Duration{200 * time.Microsecond, time.Microsecond} {
		t.Run(d.String(), func(t *testing.T) {
			eachDriver(t, func(t *testing.T, r *Runtime) {
				var ran atomic.Int64
				started := 0
				given := func() (n uint64) {
					for _, w := range r.Stats().Workers {
						n += w.Given
					}
					return n
				}
				r.Run(plainly(func() {
					for end := time.Now().Add(30 * time.Second); given() == 0 && time.Now().Before(end); Yield() {
						for range spreadAbove / 2 {
							r.Go(&busyFrame{d, &ran})
							started++
						}
					}
				}))
				waitFor(t, func() bool { return ran.Load() == int64(started) })
				if given() == 0 {
					t.Errorf("none of %d tasks was given", started)
				}
			})
		})
	}
}

// give1 starts f on the first worker of r and has that give it to the second.
func give1(t *testing.T, r *Runtime, f Future, k *waiter) Task {
	handle := make(chan Task)
	from, to := r.workers[0], r.workers[1]
	from.exec(func() {
		h := from.spawn(f, k)
		if task := from.runq.pop(); task != h.task || task.state != fresh {
			t.Error("the task is not the next")
		} else if !from.passOn(task, to) {
			t.Error("the task was not taken")
		}
		handle <- h
	})
	return <-handle
}

// Who has the handle of a task that was given away sees what becomes of it.
func TestGivenTasksEndAsOthers(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		for range 100 {
			var on *worker
			h := give1(t, r, plainly(func() {
				Yield()
				on = currentContext().worker
			}), nil)
			h.Wait()
			if !h.Done() || on != r.workers[1] {
				t.Fatal("the task did not run, or not where it was given")
			}
		}
		for way, f := range ways {
			v, exited := caught(func() {
				k := newGoroutineWaiter(true)
				give1(t, r, plainly(f), k)
				k.park().surface()
			})
			checkWay(t, "Run", way, v, exited)
		}
	})
}

// A runtime is closed while tasks wait for those that were given away.
func TestCloseWithGivenTasks(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r := newRuntime(t, m.name, 2)
			var tasks []Task
			for range 20 {
				tasks = append(tasks, give1(t, r, newSleeper(time.Hour), nil))
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			for _, h := range tasks {
				if !h.Done() {
					t.Error("a task is not done")
				}
			}
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

// When a runtime is closed, the worker that a task was given to may end before the one that
// gave it. That is no panic of the task.
func TestCloseGivenToFirst(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			r := newRuntime(t, m.name, 2)
			h := give1(t, r, newSleeper(time.Hour), nil)
			giver, other := r.workers[0], r.workers[1]
			other.exec(func() { other.closing = true })
			<-other.stopped
			for range 2 { // until giver has polled what the other has woken
				polled := make(chan struct{})
				giver.exec(func() { giver.spawn(plainly(func() { close(polled) }), nil) })
				<-polled
			}
			if h.Done() {
				t.Error("the task has ended before its worker")
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if !h.Done() {
				t.Error("the task is not done")
			}
		})
	}
}

// Without sharing nothing leaves its worker, and GoOn says which one that is.
func TestSharedNothing(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			r, err := New(Config{Workers: 3, Driver: m.name, SharedNothing: true, HandOff: time.Millisecond})
			if err != nil {
				t.Skip(err)
			}
			const n = 4 * spreadAbove
			var ran, strays atomic.Int64
			for i := range 5 {
				w := r.workers[i%3]
				r.GoOn(i, plainly(func() {
					for range n {
						Go(plainly(func() {
							if currentContext().worker != w {
								strays.Add(1)
							}
							ran.Add(1)
						}))
					}
				}))
			}
			r.GoOn(-1, plainly(func() {})) // any number will do
			waitFor(t, func() bool { return ran.Load() == 5*n })
			for _, w := range r.Stats().Workers {
				strays.Add(int64(w.Given))
			}
			if strays.Load() != 0 {
				t.Errorf("%d tasks left their worker", strays.Load())
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if v, _ := caught(func() { r.GoOn(0, &yielder{}) }); v != ErrClosed {
				t.Errorf("GoOn on a closed runtime: panic %v", v)
			}
		})
	}
}
