package stackful

import (
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

// TestSwitchCost prints what a switch there and back costs on each engine: the
// processor time of the thread, measured alternately, and the ratio of the
// medians. It asserts nothing.
func TestSwitchCost(t *testing.T) {
	if os.Getenv("COGEN_MEASURE") == "" {
		t.Skip("COGEN_MEASURE is not set")
	}
	const rounds, n = 10, 1_000_000
	costs := map[string][]float64{}
	atHome(t, func() {
		for range rounds {
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
				costs[e.name()] = append(costs[e.name()], float64(threadTime(t)-start)/n)
				r.Kill()
			}
		}
	})
	for _, e := range engines() {
		list := costs[e.name()]
		slices.Sort(list)
		t.Logf("%-9s median %.1f ns, from %.1f to %.1f", e.name(), list[rounds/2], list[0], list[rounds-1])
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
