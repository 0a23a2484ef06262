package stackful

import (
	"os"
	"runtime"
	"sync"
	"testing"
)

// pooled returns a runner of p that goes into the pool whenever it is resumed,
// and counts in ended when there is no room for it.
func pooled(p *Pool, ended *int) (r *Runner) {
	r = New(nil, func() {
		defer func() { *ended++ }()
		for p.Put(r) {
			r.Suspend()
		}
	})
	return r
}

func TestPool(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		p := Pool{Limit: 2}
		ended := 0
		if p.Get() != nil {
			t.Error("an empty pool has a runner")
		}
		a, b, c := pooled(&p, &ended), pooled(&p, &ended), pooled(&p, &ended)
		a.Resume()
		b.Resume()
		if c.Resume() || ended != 1 {
			t.Error("the pool kept more than its limit")
		}
		if got := p.Get(); got != b {
			t.Error("the pool did not return what was put last")
		} else {
			got.Resume()
		}
		if n := p.Idle(); n != 2 {
			t.Errorf("%d runners are idle, want 2", n)
		}
		p.Close()
		if ended != 3 {
			t.Errorf("%d runners ended", ended)
		}
		if n := p.Close(); n != 0 || p.Idle() != 0 {
			t.Errorf("Close left %d runners", n)
		}
	})
}

// What is not used for a while goes, bit by bit.
func TestPoolShrinks(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		p := Pool{Limit: 100}
		ended := 0
		var all []*Runner
		for range 20 {
			all = append(all, pooled(&p, &ended))
		}
		for _, r := range all {
			r.Resume()
		}
		p.Shrink() // nothing has been idle for long
		if ended != 0 {
			t.Fatalf("%d runners ended at once", ended)
		}
		// Four at a time are in use.
		var sizes []int
		for range 6 {
			var used []*Runner
			for range 4 {
				used = append(used, p.Get())
			}
			for _, r := range used {
				r.Resume()
			}
			p.Shrink()
			sizes = append(sizes, p.Idle())
		}
		want := []int{12, 8, 6, 5, 4, 4}
		for i := range want {
			if sizes[i] != want[i] {
				t.Fatalf("the sizes were %v, want %v", sizes, want)
			}
		}
		p.Close()
	})
}

// TestMemory prints what ten thousand suspended runners take, next to as many
// goroutines that wait at the same depth.
func TestMemory(t *testing.T) {
	if os.Getenv("COGEN_MEASURE") == "" {
		t.Skip("COGEN_MEASURE is not set")
	}
	const n = 10_000
	measure := func(name string, setUp func()) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		setUp()
		runtime.GC()
		runtime.ReadMemStats(&after)
		t.Logf("%-10s %5d bytes of stack and %4d of heap each", name,
			(after.StackInuse-before.StackInuse)/n, int64(after.HeapAlloc-before.HeapAlloc)/n)
	}
	for _, depth := range []int{0, 10} {
		t.Logf("%d frames of 600 bytes:", depth)
		stop := make(chan bool)
		var all sync.WaitGroup
		measure("goroutines", func() {
			var ready sync.WaitGroup
			ready.Add(n)
			for range n {
				all.Go(func() {
					deep(depth, func() {
						ready.Done()
						<-stop
					})
				})
			}
			ready.Wait()
		})
		close(stop)
		all.Wait()
		eachEngine(t, func(t *testing.T) {
			var list []*Runner
			measure(EngineName(), func() {
				for range n {
					var r *Runner
					r = New(nil, func() { deep(depth, r.Suspend) })
					r.Resume()
					list = append(list, r)
				}
			})
			for _, r := range list {
				r.Kill()
			}
		})
	}
}
