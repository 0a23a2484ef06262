package stackful

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	tortureTime    = flag.Duration("torture", time.Second, "how long TestTorture goes on, for each engine")
	tortureRunners = flag.Int("runners", 250, "runners on each thread in TestTorture")
	tortureEngine  = flag.String("engine", "", "the only engine for TestTorture")
)

// TestTorture does everything at once that a switch has to survive. Each of
// several homes has many runners, which do what [victim.step] lists and check
// on every resumption that nothing has changed; meanwhile [torture.disturb] does
// to the process whatever looks at stacks or moves them.
func TestTorture(t *testing.T) {
	const homes = 4
	for _, e := range engines() {
		if *tortureEngine != "" && *tortureEngine != e.name() {
			continue
		}
		t.Run(e.name(), func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(5))
			before, goroutines := Stats(), runtime.NumGoroutine()
			h := &torture{t: t, engine: e, until: time.Now().Add(*tortureTime)}
			for range homes {
				h.given = append(h.given, make(chan *victim, 4))
			}
			h.giving.Add(homes)
			var all sync.WaitGroup
			for i := range homes {
				all.Go(func() {
					runtime.LockOSThread()
					h.home(i)
				})
			}
			h.disturb()
			all.Wait()
			s := Stats()
			t.Logf("%d runners, %d of them moved to another thread", h.born.Load(), h.moved.Load())
			t.Logf("switches: %d fast, %d while marking, %d first, %d last, %d other, %d portable",
				s.Fast-before.Fast, s.Marking-before.Marking, s.First-before.First,
				s.Last-before.Last, s.Other-before.Other, s.Portable-before.Portable)
			if runners.live != 0 {
				t.Errorf("%d entries are left in the table", runners.live)
			}
			for range 5000 {
				if runtime.NumGoroutine() <= goroutines {
					return
				}
				time.Sleep(time.Millisecond)
			}
			t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), goroutines)
		})
	}
}

type torture struct {
	t      *testing.T
	engine engine
	until  time.Time
	born   atomic.Int64
	moved  atomic.Int64
	given  []chan *victim // runners for another home, by home
	giving sync.WaitGroup // homes that still give
}

func (h *torture) over() bool { return h.t.Failed() || !time.Now().Before(h.until) }

// home makes runners and resumes them in random order.
func (h *torture) home(index int) {
	rng := rand.New(rand.NewPCG(uint64(index), 666))
	var all []*victim
	take := func(v *victim) {
		if err := v.runner.Rehome(); err != nil {
			h.t.Error(err)
		}
		h.moved.Add(1)
		all = append(all, v)
	}
	for !h.over() {
		for range 200 {
			if len(all) < *tortureRunners {
				h.born.Add(1)
				all = append(all, newVictim(h, rng.Uint64()))
			}
			i := rng.IntN(len(all))
			v := all[i]
			gone := false
			switch {
			case rng.IntN(2000) == 0:
				v.runner.Kill()
				gone = true
			case rng.IntN(50) == 0 && v.movable():
				select {
				case h.given[rng.IntN(len(h.given))] <- v:
					gone = true
				default:
				}
			default:
				gone = !v.resume()
			}
			if gone {
				all[i] = all[len(all)-1]
				all = all[:len(all)-1]
			}
			select {
			case v := <-h.given[index]:
				take(v)
			default:
			}
		}
	}
	h.giving.Done()
	h.giving.Wait()
	for len(h.given[index]) > 0 {
		take(<-h.given[index])
	}
	for _, v := range all {
		v.runner.Kill()
	}
}

// disturb does to the process what a switch may not notice, one phase after
// the other, until the time is over.
func (h *torture) disturb() {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := []metrics.Sample{}
	for _, d := range metrics.All() {
		samples = append(samples, metrics.Sample{Name: d.Name})
	}
	runtime.SetMutexProfileFraction(10)
	defer runtime.SetMutexProfileFraction(0)
	runtime.SetBlockProfileRate(1000)
	defer runtime.SetBlockProfileRate(0)
	profiles := []func(){
		func() { pprof.Lookup("goroutine").WriteTo(io.Discard, rng.IntN(3)) },
		func() { pprof.Lookup("block").WriteTo(io.Discard, 0) },
		func() { pprof.Lookup("heap").WriteTo(io.Discard, 0) },
		func() { metrics.Read(samples) },
		func() { runtime.Stack(make([]byte, 1<<16), true) },
		func() { debug.FreeOSMemory() },
		func() { runtime.GOMAXPROCS(1 + rng.IntN(4)) },
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for !h.over() {
		ctx, end := context.WithTimeout(context.Background(), 100*time.Millisecond)
		var phase sync.WaitGroup
		background := func(every time.Duration, f func()) {
			phase.Go(func() {
				for ctx.Err() == nil {
					f()
					time.Sleep(every)
				}
			})
		}
		if rng.IntN(2) == 0 {
			background(time.Millisecond, runtime.GC)
		}
		if rng.IntN(2) == 0 {
			background(20*time.Millisecond, func() {
				if pprof.StartCPUProfile(io.Discard) == nil {
					time.Sleep(20 * time.Millisecond)
					pprof.StopCPUProfile()
				}
			})
		}
		if rng.IntN(4) == 0 {
			background(5*time.Millisecond, func() {
				if trace.Start(io.Discard) == nil {
					time.Sleep(20 * time.Millisecond)
					trace.Stop()
				}
			})
		}
		if rng.IntN(2) == 0 {
			phase.Go(func() {
				for ctx.Err() == nil {
					profiles[rng.IntN(len(profiles))]()
					time.Sleep(time.Millisecond)
				}
			})
		}
		phase.Go(func() { <-ctx.Done() })
		phase.Wait()
		end()
	}
}
