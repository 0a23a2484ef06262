package stackful

import (
	"iter"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// engines returns the engines that this binary has.
func engines() []engine {
	all := []engine{portable{}}
	if e, err := newExchange(); err == nil {
		all = append(all, e)
	}
	return all
}

func BenchmarkEngines(b *testing.B) {
	for _, e := range engines() {
		b.Run(e.name(), func(b *testing.B) {
			atHome(b, func() {
				var r *Runner
				r = newRunner(e, nil, func() {
					for {
						r.Suspend()
					}
				})
				for range b.N {
					r.Resume()
				}
				r.Kill()
			})
		})
	}
}

// TestSwitchCost prints what a switch there and back costs with iter.Pull itself and
// on each engine: the processor time of the thread, measured alternately, and the
// ratio of the medians. It asserts nothing.
func TestSwitchCost(t *testing.T) {
	if os.Getenv("COGEN_MEASURE") == "" {
		t.Skip("COGEN_MEASURE is not set")
	}
	const rounds, n = 10, 1_000_000
	names := []string{"iter.Pull"}
	costs := map[string][]float64{}
	note := func(name string, start time.Duration) {
		costs[name] = append(costs[name], float64(threadTime(t)-start)/n)
	}
	atHome(t, func() {
		for range rounds {
			next, stop := iter.Pull(func(yield func(int) bool) {
				for yield(0) {
				}
			})
			next()
			start := threadTime(t)
			for range n {
				next()
			}
			note("iter.Pull", start)
			stop()
			for _, e := range engines() {
				var r *Runner
				r = newRunner(e, nil, func() {
					for {
						r.Suspend()
					}
				})
				r.Resume()
				start := threadTime(t)
				for range n {
					r.Resume()
				}
				note(e.name(), start)
				r.Kill()
			}
		}
	})
	for _, e := range engines() {
		names = append(names, e.name())
	}
	for _, name := range names {
		list := costs[name]
		slices.Sort(list)
		t.Logf("%-9s median %.1f ns, from %.1f to %.1f, %.2f x iter.Pull", name, list[rounds/2], list[0], list[rounds-1],
			list[rounds/2]/costs["iter.Pull"][rounds/2])
	}
}

// threadTime returns the processor time that the calling thread has used.
func threadTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(1 /* RUSAGE_THREAD */, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
