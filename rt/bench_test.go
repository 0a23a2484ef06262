package rt

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The benchmarks come in groups that do the same in different ways, to be
// compared within one run.

// A yielder is a frame, as cogen would generate it, of
//
//	for range n { rt.Yield() }
type yielder struct {
	n     int
	state int
}

func (f *yielder) Poll(cx *Context) bool {
	switch f.state {
	case 0:
		goto loop
	case 1:
		goto resumed
	}
loop:
	if f.n == 0 {
		return true
	}
	f.state = 1
	cx.Wake()
	return false
resumed:
	f.n--
	goto loop
}

func BenchmarkResume(b *testing.B) {
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		Run(&yielder{n: b.N})
	})
	// A thousand tasks take turns, so that each is cold when its turn comes.
	b.Run("frame-of-1000", func(b *testing.B) {
		b.ReportAllocs()
		r := newRuntime(b, "", 1)
		defer r.Close()
		r.Run(&spawner{n: 1000, make: func() Future { return &yielder{n: b.N / 1000} }})
	})
	// Plain code waits: its stack is set aside and taken up again.
	b.Run("runner", func(b *testing.B) {
		b.ReportAllocs()
		Run(plainly(func() {
			for range b.N {
				Yield()
			}
		}))
	})
	b.Run("iter.Pull", func(b *testing.B) {
		b.ReportAllocs()
		next, stop := iter.Pull(func(yield func(int) bool) {
			for yield(0) {
			}
		})
		defer stop()
		for range b.N {
			next()
		}
	})
	b.Run("channel", func(b *testing.B) {
		b.ReportAllocs()
		ping, pong := make(chan int), make(chan int)
		go func() {
			for v := range ping {
				pong <- v
			}
		}()
		defer close(ping)
		for range b.N {
			ping <- 0
			<-pong
		}
	})
}

// A spawner starts n tasks and waits for all of them.
type spawner struct {
	n       int
	make    func() Future
	started []Task
	wait    TaskWaitFuture
	waiting bool
}

func (f *spawner) Poll(cx *Context) bool {
	if f.started == nil {
		f.started = make([]Task, f.n)
		for i := range f.started {
			f.started[i] = Go(f.make())
		}
	}
	for {
		if f.waiting {
			if !f.wait.Poll(cx) {
				return false
			}
			f.waiting = false
		}
		for f.n > 0 && f.started[f.n-1].Done() {
			f.n--
		}
		if f.n == 0 {
			return true
		}
		f.wait.Init(f.started[f.n-1])
		f.waiting = true
	}
}

// A counted frame counts down when it is done, like a goroutine does with a
// WaitGroup, and wakes the one who waits for zero.
type countedFrame struct{ left *countdown }

type countdown struct {
	n     atomic.Int64
	waker Waker
}

func (f *countedFrame) Poll(cx *Context) bool {
	if f.left.n.Add(-1) == 0 {
		f.left.waker.Wake()
	}
	return true
}

// A burster starts tasks in bursts of 100 and waits for each burst.
type burster struct {
	n    int
	left countdown
}

func (f *burster) Poll(cx *Context) bool {
	if f.left.n.Load() > 0 {
		return false
	}
	if f.n <= 0 {
		return true
	}
	f.n -= 100
	f.left.n.Store(100)
	f.left.waker = cx.Waker()
	for range 100 {
		Go(&countedFrame{&f.left})
	}
	return false
}

func BenchmarkSpawn(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		Run(&burster{n: b.N})
	})
	b.Run("goroutine", func(b *testing.B) {
		b.ReportAllocs()
		for n := b.N; n > 0; n -= 100 {
			var left sync.WaitGroup
			left.Add(100)
			for range 100 {
				go left.Done()
			}
			left.Wait()
		}
	})
	// A goroutine starts a task and waits for it.
	b.Run("task-from-goroutine", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			Run(&yielder{})
		}
	})
	b.Run("goroutine-from-goroutine", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			done := make(chan bool)
			go close(done)
			<-done
		}
	})
}

func BenchmarkAwaitReady(b *testing.B) {
	b.ReportAllocs()
	Run(plainly(func() {
		f := &yielder{}
		for range b.N {
			Await(f)
		}
	}))
}

func BenchmarkTimer(b *testing.B) {
	b.Run("start-stop", func(b *testing.B) {
		b.ReportAllocs()
		timers := make([]timer, 10_000)
		w := &worker{}
		for i := range timers {
			w.startTimer(&timers[i], int64(i*7919%10_007), nil)
		}
		for i := range b.N {
			w.startTimer(&timers[i%len(timers)], int64(i*31%10_007), nil)
		}
	})
}

// BenchmarkMemory reports the bytes that one suspended task or goroutine takes,
// of a hundred thousand.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	b.Run("task", func(b *testing.B) {
		for range b.N {
			r := newRuntime(b, "", 1)
			tasks := make([]Task, 0, n)
			reportBytes(b, n, func() {
				for range n {
					tasks = append(tasks, r.Go(newSleeper(time.Hour)))
				}
				waitFor(b, func() bool { return r.Stats().Workers[0].Timers == n })
			})
			r.Close()
			runtime.KeepAlive(tasks)
		}
	})
	b.Run("goroutine", func(b *testing.B) {
		for range b.N {
			stop := make(chan bool)
			var started, ended sync.WaitGroup
			reportBytes(b, n, func() {
				for range n {
					started.Add(1)
					ended.Add(1)
					go func() {
						defer ended.Done()
						started.Done()
						<-stop
					}()
				}
				started.Wait()
			})
			close(stop)
			ended.Wait()
		}
	})
}

// reportBytes reports how much memory in use grows by start, divided by n.
func reportBytes(b *testing.B, n int, start func()) {
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := inUse()
	start()
	b.ReportMetric(float64(inUse()-before)/float64(n), "B/task")
}
