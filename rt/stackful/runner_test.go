package stackful

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// atHome calls f on a goroutine that is locked to its thread, as workers are, and
// then checks that no goroutine is left behind.
func atHome(t testing.TB, f func()) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread()
		f()
	})
	wg.Wait()
	for range 5000 {
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), goroutines)
}

// eachEngine runs f at home under each engine that this binary has.
func eachEngine(t *testing.T, f func(t *testing.T)) {
	for _, e := range engines() {
		t.Run(e.name(), func(t *testing.T) {
			defer func(old func() choice) { chosen = old }(chosen)
			chosen = func() choice { return choice{engine: e} }
			atHome(t, func() { f(t) })
		})
	}
}

func TestSwitch(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var trace []string
		var r *Runner
		r = New("data", func() {
			trace = append(trace, "a")
			deep(50, func() { r.Suspend() })
			trace = append(trace, "b")
			r.Suspend()
			trace = append(trace, "c")
		})
		for r.Resume() {
			trace = append(trace, "home")
		}
		if got, want := fmt.Sprint(trace), "[a home b home c]"; got != want {
			t.Errorf("trace is %s, want %s", got, want)
		}
		if r.Data() != "data" {
			t.Errorf("data is %v", r.Data())
		}
	})
}

// deep calls f with n frames of some size above it.
func deep(n int, f func()) byte {
	var b [512]byte
	if n == 0 {
		f()
	} else {
		b[n%len(b)] = deep(n-1, f)
	}
	return b[0]
}

func TestCurrent(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		const n = 1000
		if r := Current(); r != nil {
			t.Errorf("home is on runner %v", r)
		}
		var all []*Runner
		for range n {
			var r *Runner
			r = New(nil, func() {
				for range 3 {
					deep(5, func() {
						if Current() != r {
							t.Errorf("on runner %p, Current says %p", r, Current())
						}
						r.Suspend()
					})
				}
			})
			all = append(all, r)
		}
		// Other goroutines look for themselves meanwhile.
		stop := make(chan bool)
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if Current() != nil {
						t.Error("an ordinary goroutine is on a runner")
						return
					}
				}
			}
		})
		for alive := n; alive > 0; {
			for i, r := range all {
				if r != nil && !r.Resume() {
					all[i] = nil
					alive--
				}
			}
		}
		close(stop)
		wg.Wait()
		if runners.live != 0 {
			t.Errorf("%d entries are left in the table", runners.live)
		}
	})
}

func TestPanicReachesHome(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		r := New(nil, func() { panic("boom") })
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v", v)
			}
			if r.Resume() {
				t.Error("a runner that panicked goes on")
			}
		}()
		r.Resume()
		t.Error("Resume returned")
	})
}

func TestGoexitEndsTheRunnerOnly(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		deferred := 0
		for range 100 {
			var r *Runner
			r = New(nil, func() {
				defer func() { deferred++ }()
				// A panic that is recovered while the Goexit unwinds does not
				// undo it.
				defer func() {
					defer func() { recover() }()
					panic("on the way")
				}()
				r.Suspend()
				runtime.Goexit()
			})
			if !r.Resume() || r.Resume() || r.Resume() {
				t.Error("want the runner to be alive once")
			}
		}
		if deferred != 100 {
			t.Errorf("%d deferred calls ran", deferred)
		}
	})
}

func TestGoexitWhilePanicking(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		r := New(nil, func() {
			defer runtime.Goexit()
			panic("replaced")
		})
		if r.Resume() {
			t.Error("the runner is alive")
		}
	})
}

func TestKill(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var trace []string
		var r *Runner
		r = New(nil, func() {
			defer func() {
				defer func() { trace = append(trace, "outer") }()
				r.Suspend() // cannot wait any more
				trace = append(trace, "unreachable")
			}()
			defer func() { trace = append(trace, "inner") }()
			r.Suspend()
			trace = append(trace, "unreachable")
		})
		r.Resume()
		r.Kill()
		if got := fmt.Sprint(trace); got != "[inner outer]" {
			t.Errorf("trace is %s", got)
		}
		New(nil, func() { t.Error("a runner killed before its start ran") }).Kill()
	})
}

// Runners that are suspended keep what their stacks refer to, also while those
// are moved.
func TestCollectorSeesSuspendedStacks(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var all []*Runner
		for i := range 200 {
			var r *Runner
			r = New(nil, func() {
				v := &[]int{i}
				deep(i, func() { r.Suspend() })
				if (*v)[0] != i {
					t.Errorf("runner %d has %d", i, (*v)[0])
				}
			})
			all = append(all, r)
		}
		for _, r := range all {
			r.Resume()
		}
		runtime.GC()
		runtime.GC()
		for _, r := range all {
			r.Resume()
		}
	})
}

func TestSwitchingDoesNotAllocate(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var r *Runner
		r = New(nil, func() {
			for {
				r.Suspend()
			}
		})
		if n := testing.AllocsPerRun(1000, func() { r.Resume() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
		r.Kill()
	})
}

func BenchmarkCurrent(b *testing.B) {
	for _, on := range []string{"runner", "goroutine"} {
		b.Run(on, func(b *testing.B) {
			atHome(b, func() {
				measure := func() {
					for range b.N {
						Current()
					}
				}
				if on == "goroutine" {
					measure()
					return
				}
				New(nil, measure).Resume()
			})
		})
	}
}

// The compiler expands Resume and Suspend where they are called: as functions of their
// own they would cost more than the switch.
func TestSwitchIsExpanded(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting what is covered makes functions longer")
	}
	stacks := func() string {
		buf := make([]byte, 1<<16)
		return string(buf[:runtime.Stack(buf, true)])
	}
	eachEngine(t, func(t *testing.T) {
		var running string
		r := New(nil, func() {
			running = stacks()
			Current().Suspend()
		})
		r.Resume()
		suspended := stacks()
		r.Kill()
		// This is how tracebacks show calls that have been expanded.
		for call, text := range map[string]string{"Resume(...)": running, "Suspend(...)": suspended} {
			if !strings.Contains(text, "stackful.(*Runner)."+call) {
				t.Errorf("there is no %s in\n%s", call, text)
			}
		}
	})
}
