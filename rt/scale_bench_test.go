package rt

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"
)

// A collection says what a garbage collection cost.
type collection struct {
	wall  time.Duration
	pause time.Duration // the longer of the two stops of the world
	cpu   time.Duration
}

func collect() collection {
	cpu := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	runtime.GC() // what is garbage already is not to be counted
	metrics.Read(cpu)
	before := cpu[0].Value.Float64()
	begin := time.Now()
	runtime.GC()
	c := collection{wall: time.Since(begin)}
	metrics.Read(cpu)
	c.cpu = time.Duration((cpu[0].Value.Float64() - before) * 1e9)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.pause = time.Duration(m.PauseNs[(m.NumGC+255)%256])
	return c
}

// A multitude is many of something that waits.
type multitude struct {
	start func() // returns when all wait
	end   func() // returns when all have ended
}

// measure reports what it takes to start n, to have them, and to end them.
func (c multitude) measure(b *testing.B, n int) {
	for range b.N {
		begin := time.Now()
		var took time.Duration
		reportBytes(b, n, func() {
			c.start()
			took = time.Since(begin)
		})
		b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/start")
		g := collect()
		b.ReportMetric(g.wall.Seconds()*1e3, "ms/GC")
		b.ReportMetric(g.cpu.Seconds()*1e3, "ms-CPU/GC")
		b.ReportMetric(float64(g.pause.Microseconds()), "µs-pause/GC")
		begin = time.Now()
		c.end()
		b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(n), "ns/end")
	}
}

const million = 1_000_000

// BenchmarkMillion has a million tasks wait, beside as many goroutines.
func BenchmarkMillion(b *testing.B) {
	b.Run("tasks", func(b *testing.B) {
		r := newRuntime(b, "", 1)
		defer r.Close()
		var stop Event
		multitude{func() {
			r.Run(&spawning{n: million, make: func() Future { return stop.WaitAsync() }})
			waitFor(b, func() bool { return r.Stats().Tasks() == million })
		}, func() {
			stop.Set()
			waitFor(b, func() bool { return r.Stats().Tasks() == 0 })
		}}.measure(b, million)
	})
	b.Run("goroutines", func(b *testing.B) {
		var started, ended sync.WaitGroup
		stop := make(chan bool)
		multitude{func() {
			started.Add(million)
			ended.Add(million)
			for range million {
				go func() {
					started.Done()
					<-stop
					ended.Done()
				}()
			}
			started.Wait()
		}, func() {
			close(stop)
			ended.Wait()
			stop = make(chan bool)
		}}.measure(b, million)
	})
	b.Run("sleeping-tasks", func(b *testing.B) {
		r := newRuntime(b, "", 1)
		defer r.Close()
		end := time.Now().Add(time.Hour)
		multitude{func() {
			r.Run(&spawning{n: million, make: func() Future { return newSleeper(time.Until(end)) }})
			waitFor(b, func() bool { return r.Stats().Workers[0].Timers == million })
		}, func() {
			// An hour passes at once.
			done := make(chan bool)
			r.workers[0].exec(func() {
				w := r.workers[0]
				for !w.timers.empty() {
					t := w.timers.first()
					w.timers.remove(t)
					t.fire(t)
				}
				close(done)
			})
			<-done
			waitFor(b, func() bool { return r.Stats().Tasks() == 0 })
		}}.measure(b, million)
	})
	// Goroutines in time.Sleep cannot be woken early; these wait for timers of their own.
	b.Run("goroutines-with-timers", func(b *testing.B) {
		var started, ended sync.WaitGroup
		timers := make([]*time.Timer, million)
		multitude{func() {
			started.Add(million)
			ended.Add(million)
			for i := range timers {
				go func() {
					timers[i] = time.NewTimer(time.Hour)
					started.Done()
					<-timers[i].C
					ended.Done()
				}()
			}
			started.Wait()
		}, func() {
			for _, t := range timers {
				t.Reset(0)
			}
			ended.Wait()
		}}.measure(b, million)
	})
}

// A spawning frame starts n tasks, some hundreds in each poll.
type spawning struct {
	n    int
	make func() Future
}

func (f *spawning) Poll(cx *Context) bool {
	for range min(f.n, 500) {
		Go(f.make())
		f.n--
	}
	if f.n > 0 {
		cx.Wake()
	}
	return f.n == 0
}

// BenchmarkTimers measures timers of a worker and of package time, with n of them
// running, whose times are spread.
func BenchmarkTimers(b *testing.B) {
	const hour = int64(time.Hour)
	for _, n := range []int{100, 10_000, million} {
		spread := func(i int) int64 { return hour + int64(uint32(i)*2654435761) }
		b.Run(fmt.Sprintf("insert-cancel/worker/%d", n), func(b *testing.B) {
			w, timers := &worker{}, make([]timer, n+1)
			for i := range n {
				w.startTimer(&timers[i], spread(i), nil)
			}
			t := &timers[n]
			b.ResetTimer()
			for i := range b.N {
				w.startTimer(t, spread(i+n), nil)
				w.stopTimer(t)
			}
		})
		b.Run(fmt.Sprintf("insert-cancel/time/%d", n), func(b *testing.B) {
			timers := make([]*time.Timer, n)
			for i := range n {
				timers[i] = time.AfterFunc(time.Duration(spread(i)), func() {})
			}
			b.ResetTimer()
			for i := range b.N {
				time.AfterFunc(time.Duration(spread(i+n)), func() {}).Stop()
			}
			b.StopTimer()
			for _, t := range timers {
				t.Stop()
			}
		})
		// Each one fires and is started again, with a later time.
		b.Run(fmt.Sprintf("fire-insert/worker/%d", n), func(b *testing.B) {
			w, timers := &worker{}, make([]timer, n)
			for i := range n {
				w.startTimer(&timers[i], spread(i), nil)
			}
			b.ResetTimer()
			for i := range b.N {
				t := w.timers.first()
				w.timers.remove(t)
				w.startTimer(t, t.when+spread(i), nil)
			}
		})
	}
}

// BenchmarkWakeUp measures how long it takes from a wake-up on another thread to the
// poll, for a worker that sleeps in its driver, beside goroutines that wait on a channel:
// one that is locked to a thread, as workers are, and one that is not, and can
// go on where the other one leaves off.
func BenchmarkWakeUp(b *testing.B) {
	report := func(b *testing.B, took []time.Duration) {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "ns/median")
		b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns/99th")
		b.ReportMetric(0, "ns/op") // it is the pauses
	}
	pause := func() { time.Sleep(200 * time.Microsecond) }
	for _, m := range driverMakers {
		b.Run("task/"+m.name, func(b *testing.B) {
			r := newRuntime(b, m.name, 1)
			defer r.Close()
			f := &punctual{seen: make(chan time.Time, 1), waker: make(chan Waker, 1)}
			h := r.Go(f)
			k := <-f.waker
			var took []time.Duration
			for range b.N {
				pause()
				begin := time.Now()
				k.Wake()
				took = append(took, (<-f.seen).Sub(begin))
			}
			report(b, took)
			f.stop.Set()
			k.Wake()
			h.Wait()
		})
	}
	for _, locked := range []bool{true, false} {
		name := "goroutine"
		if locked {
			name = "goroutine-locked-to-a-thread"
		}
		b.Run(name, func(b *testing.B) {
			wake, seen := make(chan bool), make(chan time.Time, 1)
			go func() {
				if locked {
					runtime.LockOSThread()
				}
				for range wake {
					seen <- time.Now()
				}
			}()
			var took []time.Duration
			for range b.N {
				pause()
				begin := time.Now()
				wake <- true
				took = append(took, (<-seen).Sub(begin))
			}
			close(wake)
			report(b, took)
		})
	}
}

// A punctual frame tells when it is polled.
type punctual struct {
	waker chan Waker
	seen  chan time.Time
	stop  Event
	begun bool
}

func (f *punctual) Poll(cx *Context) bool {
	if !f.begun {
		f.begun = true
		f.waker <- cx.Waker()
		return false
	}
	if f.stop.IsSet() {
		return true
	}
	f.seen <- time.Now()
	return false
}

// BenchmarkTasks measures what an operation costs when many tasks take turns, each
// cold when its turn comes.
func BenchmarkTasks(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("yield/%d", n), func(b *testing.B) {
			r := newRuntime(b, "", 1)
			defer r.Close()
			r.Run(&spawner{n: n, make: func() Future { return &yielder{n: max(b.N/n, 1)} }})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(b.N/n, 1)*n), "ns/yield")
		})
	}
}
