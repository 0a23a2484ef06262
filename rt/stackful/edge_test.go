package stackful

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// Programs that end, or that change the whole process, run in a process of their
// own: this binary, told by the variable which of them to be.
const programVariable = "STACKFUL_TEST_PROGRAM"

var programs = map[string]func(r *Runner){
	"overflow": func(r *Runner) {
		r.Suspend()
		debug.SetMaxStack(1 << 20)
		bottomless(r, 0)
	},
	"exit": func(r *Runner) {
		defer fmt.Println("deferred")
		r.Suspend()
		os.Exit(7)
	},
	"crash": func(r *Runner) {
		r.Suspend()
		go func() { panic("on a goroutine") }()
		select {}
	},
	"fault elsewhere": func(r *Runner) {
		defer recover()
		defer r.Suspend()
		var p *int
		*p = 1
	},
}

//go:noinline
func bottomless(r *Runner, n int) int {
	if n%1000 == 0 {
		r.Suspend()
	}
	//lint:ignore SA5007 it is to overflow its stack
	return bottomless(r, n+1) + 1
}

func TestMain(m *testing.M) {
	if name := os.Getenv(programVariable); name != "" {
		runtime.LockOSThread()
		var r *Runner
		r = New(nil, func() { programs[name](r) })
		for r.Resume() {
			if name == "fault elsewhere" {
				panic("of home")
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The ends of programs are those that Go gives them, also on a runner.
func TestProgramsEnd(t *testing.T) {
	for _, test := range []struct {
		program string
		code    int
		want    []string
		not     string
	}{
		{"overflow", 2, []string{"runtime: goroutine stack exceeds 1048576-byte limit", "fatal error: stack overflow", "stackful.bottomless"}, ""},
		{"exit", 7, nil, ""},
		{"crash", 2, []string{"panic: on a goroutine"}, ""},
		// The fault is the runner's, who waits in the middle of its panic.
		{"fault elsewhere", 2, []string{"panic: of home"}, "[signal"},
	} {
		for _, e := range engines() {
			t.Run(test.program+"/"+e.name(), func(t *testing.T) {
				t.Parallel()
				program := exec.Command(os.Args[0])
				program.Env = append(os.Environ(), programVariable+"="+test.program, variable+"="+e.name())
				out, err := program.CombinedOutput()
				if program.ProcessState == nil {
					t.Skip(err) // as where this binary itself runs in an emulator
				}
				if code := program.ProcessState.ExitCode(); code != test.code {
					t.Errorf("exit code %d, want %d", code, test.code)
				}
				for _, want := range test.want {
					if !strings.Contains(string(out), want) {
						t.Errorf("there is no %q in\n%s", want, out)
					}
				}
				if test.not != "" && strings.Contains(string(out), test.not) {
					t.Errorf("there is %q in\n%s", test.not, out)
				}
				if len(test.want) == 0 && len(out) > 0 {
					t.Errorf("it printed %s", out)
				}
			})
		}
	}
}

// A program can force an engine, and one that does not exist is refused.
func TestEngineIsForced(t *testing.T) {
	if c := choose("portable"); c.engine.name() != "portable" || c.reason == "" {
		t.Errorf("portable is %s, because %q", c.engine.name(), c.reason)
	}
	c := choose("")
	if c.engine.name() == "portable" && c.reason == "" {
		t.Error("nothing says why the engine is portable")
	}
	if len(engines()) == 2 {
		if c := choose("exchange"); c.engine.name() != "exchange" || c.reason != "" {
			t.Errorf("exchange is %s, because %q", c.engine.name(), c.reason)
		}
	} else {
		mustPanic(t, "COGEN_STACKFUL asks for exchange", func() { choose("exchange") })
	}
	mustPanic(t, "want portable or exchange", func() { choose("fast") })
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("the panic is %s, want %s", got, want)
		}
	}()
	f()
}

// A panic goes through the frames of the runner and reaches home as the same
// value, whatever was suspended on the way.
func TestPanicFromDeepBelow(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		value := new(int)
		trace := []string{}
		var r *Runner
		r = New(nil, func() {
			defer func() { trace = append(trace, "outer") }()
			defer func() {
				r.Suspend()
				trace = append(trace, "inner")
			}()
			deep(100, func() {
				r.Suspend()
				panic(value)
			})
		})
		defer func() {
			if v := recover(); v != value {
				t.Errorf("recovered %v", v)
			}
			if got := fmt.Sprint(trace); got != "[inner outer]" {
				t.Errorf("deferred calls ran in the order %s", got)
			}
		}()
		for r.Resume() {
		}
		t.Error("there was no panic")
	})
}

// Home is as it was when a panic has gone through it, too.
func TestHomeRecovers(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var r *Runner
		r = New(nil, func() {
			for {
				r.Suspend()
			}
		})
		for i := range 100 {
			func() {
				defer func() {
					if v := recover(); v != i {
						t.Errorf("recovered %v, want %d", v, i)
					}
					r.Resume()
				}()
				defer func() { r.Resume() }()
				r.Resume()
				panic(i)
			}()
		}
		r.Kill()
	})
}

// Runners are resumed in any order, not only as a stack of calls would be.
func TestAnyOrder(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		const n = 50
		var all []*Runner
		got := make([]int, n)
		for i := range n {
			var r *Runner
			r = New(nil, func() {
				for range n {
					got[i]++
					deep(i%7, r.Suspend)
				}
			})
			all = append(all, r)
		}
		for round := range n {
			for i := range n {
				// Every round in another order: i times what has no divisor in common with n.
				all[(i*[]int{1, 3, 7, 9, 11, 49}[round%6]+round)%n].Resume()
			}
		}
		for i, r := range all {
			if got[i] != n || r.Resume() {
				t.Errorf("runner %d ran %d times", i, got[i])
			}
		}
	})
}

// Code on a runner may lock its thread for a while. On the portable engine it
// may not suspend meanwhile.
func TestLockOSThread(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		suspends := EngineName() == "exchange"
		var r *Runner
		r = New(nil, func() {
			for range 3 {
				runtime.LockOSThread()
				runtime.LockOSThread()
				if suspends {
					r.Suspend()
					runtime.GC()
					deep(10, r.Suspend)
				}
				runtime.UnlockOSThread()
				runtime.UnlockOSThread()
				r.Suspend()
			}
			// The locks of one that ends go with it.
			if suspends {
				runtime.LockOSThread()
			}
		})
		other := New(nil, func() {})
		for r.Resume() {
		}
		if other.Resume() {
			t.Error("the other runner goes on")
		}
	})
}

// What debug.SetPanicOnFault sets belongs to the code that called it.
func TestPanicOnFault(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		set := func(on bool) {
			if old := debug.SetPanicOnFault(on); old != on {
				t.Errorf("panics on faults are %v, want %v", old, on)
			}
		}
		var r, other *Runner
		r = New(nil, func() {
			debug.SetPanicOnFault(true)
			for range 10 {
				r.Suspend()
				set(true)
			}
		})
		other = New(nil, func() {
			for range 10 {
				other.Suspend()
				set(false)
			}
		})
		for r.Resume() {
			other.Resume()
			set(false)
		}
		other.Kill()
		set(false)
	})
}

// Profiler labels belong to the code that set them.
func TestLabelsStayWithTheirStack(t *testing.T) {
	if raceEnabled {
		t.Skip("reads labels that the race detector does not know")
	}
	eachEngine(t, func(t *testing.T) {
		var labelled, plain *Runner
		find := func() string {
			var s strings.Builder
			pprof.Lookup("goroutine").WriteTo(&s, 1)
			return s.String()
		}
		labelled = New(nil, func() {
			pprof.Do(context.Background(), pprof.Labels("stack", "labelled"), func(context.Context) {
				for range 10 {
					labelsMarker(labelled)
				}
			})
		})
		plain = New(nil, func() {
			for range 10 {
				plain.Suspend()
			}
		})
		for labelled.Resume() {
			plain.Resume()
			profile := find()
			if n := strings.Count(profile, `labels: {"stack":"labelled"}`); n != 1 {
				t.Fatalf("%d stacks have the label:\n%s", n, profile)
			}
			// The label comes before the frames of its stack, which end with an empty line.
			_, stack, _ := strings.Cut(profile, `labels: {"stack":"labelled"}`)
			if stack, _, _ = strings.Cut(stack, "\n\n"); !strings.Contains(stack, "labelsMarker") {
				t.Fatalf("the label is on the stack\n%s", stack)
			}
		}
		plain.Kill()
	})
}

//go:noinline
func labelsMarker(r *Runner) { r.Suspend() }

// A runner blocks natively as any goroutine does: home blocks with it.
func TestNativeBlocking(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		var r *Runner
		r = New(nil, func() {
			c := make(chan int)
			go func() { c <- 1 }()
			<-c
			time.Sleep(time.Microsecond)
			r.Suspend()
			if err := exec.Command("true").Run(); err != nil {
				t.Log(err)
			}
			r.Suspend()
			runtime.Gosched()
		})
		for r.Resume() {
		}
	})
}

// Code on a coroutine that a runner's code made can suspend the runner.
func TestSuspendOnCoroutine(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		got := 0
		var r *Runner
		r = New(nil, func() {
			next, stop := iter.Pull(func(yield func(int) bool) {
				for i := range 10 {
					r.Suspend()
					if !yield(i) {
						return
					}
				}
			})
			defer stop()
			for i := range 5 {
				if n, ok := next(); n != i || !ok {
					t.Errorf("pulled %d, %v", n, ok)
				}
				r.Suspend()
				if Current() != r {
					t.Error("the runner is not found after a coroutine")
				}
				got++
			}
		})
		other := New(nil, func() {})
		for r.Resume() {
			runtime.GC()
		}
		other.Resume()
		if got != 5 {
			t.Errorf("%d were pulled", got)
		}
	})
}

// A runner that another runner's code makes works like any.
func TestRunnerOnRunner(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		n := 0
		var outer *Runner
		outer = New(nil, func() {
			var inner *Runner
			inner = New(nil, func() {
				for range 3 {
					n++
					inner.Suspend()
				}
			})
			for inner.Resume() {
				outer.Suspend()
				if Current() != outer {
					t.Error("the outer runner is not found")
				}
			}
		})
		for outer.Resume() {
		}
		if n != 3 {
			t.Errorf("the inner runner ran %d times", n)
		}
	})
}

// Finalizers and cleanups can have runners too: the goroutines that the Go runtime
// calls them on survive it.
func TestRunnersInFinalizers(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name(), func(t *testing.T) {
			ran := make(chan int)
			run := func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				n := 0
				var r *Runner
				r = newRunner(e, nil, func() {
					for range 3 {
						r.Suspend()
						n++
					}
				})
				r.Resume()
				// A slow switch makes a goroutine run again that is set aside: after
				// this one home's stack is worn by the one that was made for the runner.
				defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
				for r.Resume() {
				}
				ran <- n
			}
			for range 3 {
				for _, what := range []string{"finalizer", "cleanup"} {
					object := new([10]int)
					if what == "finalizer" {
						runtime.SetFinalizer(object, func(*[10]int) { run() })
					} else {
						runtime.AddCleanup(object, func(struct{}) { run() }, struct{}{})
					}
					object = nil
					for end := time.After(10 * time.Second); ; {
						runtime.GC()
						select {
						case n := <-ran:
							if n != 3 {
								t.Errorf("a %s went on %d times, want 3", what, n)
							}
						case <-time.After(time.Millisecond):
							continue
						case <-end:
							t.Fatalf("a %s did not run", what)
						}
						break
					}
				}
			}
		})
	}
}
