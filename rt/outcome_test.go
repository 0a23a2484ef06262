package rt

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var errTest = errors.New("a value to panic with")

// caught returns what f panics with, and whether it called Goexit.
func caught(f func()) (v any, goexit bool) {
	var wg sync.WaitGroup
	wg.Go(func() {
		goexit = true
		defer func() {
			if v = recover(); v != nil {
				goexit = false
			}
		}()
		f()
		goexit = false
	})
	wg.Wait()
	return v, goexit
}

// ways are the ways to end other than by returning.
var ways = map[string]func(){
	"panic":              func() { panic(errTest) },
	"panic after a wait": func() { Sleep(time.Microsecond); panic(errTest) },
	"panic while panicking": func() {
		defer func() { Yield(); panic(errTest) }()
		panic("replaced")
	},
	"Goexit":              func() { runtime.Goexit() },
	"Goexit after a wait": func() { Yield(); runtime.Goexit() },
	"wait in a deferred call": func() {
		defer Sleep(time.Microsecond)
		defer Yield()
		runtime.Goexit()
	},
}

// checkWay reports whether v and goexit are what the way does.
func checkWay(t *testing.T, where, way string, v any, goexit bool) {
	t.Helper()
	wantExit := !strings.HasPrefix(way, "panic")
	if goexit != wantExit || !wantExit && v != errTest {
		t.Errorf("%s, %s: panic %v, Goexit %v", where, way, v, goexit)
	}
}

func TestPanicsAndGoexitSurface(t *testing.T) {
	for way, f := range ways {
		v, exited := caught(func() { Await(plainly(f)) })
		checkWay(t, "Await", way, v, exited)
		v, exited = caught(func() { Run(plainly(f)) })
		checkWay(t, "Run", way, v, exited)
	}
	eachDriver(t, func(t *testing.T, r *Runtime) {
		for range 20 {
			for way, f := range ways {
				v, exited := caught(func() { r.Run(plainly(f)) })
				checkWay(t, "Run on a runtime", way, v, exited)

				// In a task Await is on the same stack: a panic can be recovered
				// and a Goexit ends the task.
				v, exited = caught(func() {
					r.Run(plainly(func() { Await(plainly(f)) }))
				})
				checkWay(t, "Await in a task", way, v, exited)

				v, exited = caught(func() {
					r.Run(plainly(func() { Blocking(f) }))
				})
				checkWay(t, "Blocking", way, v, exited)
			}
		}
	})
}

// The worker and its other tasks, those on suspended stacks too, outlive tasks
// that end in unusual ways.
func TestWorkerSurvives(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		var others []Task
		for range 50 {
			others = append(others,
				r.Go(plainly(func() {
					for range 50 {
						Sleep(10 * time.Microsecond)
					}
				})),
				r.Go(&yielder{n: 1000}))
		}
		for range 30 {
			for _, f := range ways {
				caught(func() { r.Run(plainly(f)) })
			}
			h := r.Go(plainly(func() { Yield(); runtime.Goexit() }))
			h.Wait()
			if !h.Done() {
				t.Error("a task that called Goexit is not done")
			}
		}
		for _, h := range others {
			h.Wait()
		}
	})
}

// A panic that is recovered in the task is no business of the worker's.
func TestRecoverInTask(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			func() {
				defer func() {
					Yield()
					if v := recover(); v != errTest {
						t.Errorf("recovered %v", v)
					}
					Yield()
				}()
				Yield()
				panic(errTest)
			}()
			Yield()
		}))
	})
}

// crashes are programs that must end like one whose goroutine panics.
var crashes = map[string]struct {
	run   func()
	wants []string
}{
	"task": {
		func() { Go(plainly(crashHere)); select {} },
		[]string{"panic: ", "the reason", "crashHere"},
	},
	"task-after-wait": {
		func() { Go(plainly(func() { Yield(); crashHere() })).Wait() },
		[]string{"panic: ", "the reason", "crashHere"},
	},
	"nil-dereference": {
		func() { Go(plainly(func() { var p *crash; _ = p.value })).Wait() },
		[]string{"panic: ", "invalid memory address or nil pointer dereference", "outcome_test.go"},
	},
	"callback": {
		func() { Default().workers[0].exec(crashHere); select {} },
		[]string{"panic: ", "the reason", "crashHere"},
	},
	"uncaught-in-Run": {
		func() { Run(plainly(crashHere)) },
		[]string{"panic: the reason\n\t\n\tin a task", "crashHere", "TestPanicInATaskCrashes"},
	},
	"through-two-tasks": {
		func() { Go(plainly(throughHere)).Wait() },
		[]string{"panic: the reason\n\t\n\tin a task", "throughHere", "from another task", "crashHere"},
	},
	"in-Blocking": {
		func() { Run(plainly(func() { Blocking(crashHere) })) },
		[]string{"panic: ", "the reason", "crashHere"},
	},
}

//go:noinline
func throughHere() {
	r, err := New(Config{Workers: 1})
	if err != nil {
		panic(err)
	}
	r.Run(plainly(crashHere))
}

//go:noinline
func crashHere() { panic(errors.New("the reason")) }

func TestPanicInATaskCrashes(t *testing.T) {
	if name := os.Getenv("RT_TEST_CRASH"); name != "" {
		time.AfterFunc(20*time.Second, func() { os.Exit(3) })
		crashes[name].run()
		os.Exit(0)
	}
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestPanicInATaskCrashes$")
			cmd.Env = append(os.Environ(), "RT_TEST_CRASH="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Errorf("the program ended with %v, want exit status 2", err)
			}
			for _, want := range crash.wants {
				if !strings.Contains(string(out), want) {
					t.Errorf("the output lacks %q", want)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}
