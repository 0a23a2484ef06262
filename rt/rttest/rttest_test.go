package rttest

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// A plain task calls a function, in which everything that waits does so in plain form.
type plain struct{ f func() }

func (p *plain) Poll(*rt.Context) bool {
	p.f()
	return true
}

// start starts f as a task.
func start(f func()) rt.Task { return rt.Go(&plain{f}) }

// traced returns the hash of what happens in a world with the given seed.
func traced(t *testing.T, seed uint64, f func(*Sim)) (hash uint64) {
	var w *world
	Config{}.seed(t, seed, func(s *Sim) {
		w = s.w
		f(s)
	})
	return w.trace.hash
}

// busy does something of everything.
func busy(s *Sim) {
	var m rt.Mutex
	c := rt.NewChan[int](2)
	native := make(chan int)
	for i := range 4 {
		start(func() {
			for range 5 {
				m.Lock()
				rt.Sleep(time.Duration(i) * time.Millisecond)
				m.Unlock()
				c.Send(i)
				rt.Blocking(func() { time.Sleep(time.Millisecond) })
			}
		})
	}
	go func() { // another goroutine, which uses what tasks do
		m.Lock()
		time.Sleep(time.Second)
		m.Unlock()
		native <- 1
	}()
	for range 20 {
		recv, timeout := c.RecvAsync(), rt.SleepAsync(3*time.Millisecond)
		rt.Select(recv, timeout)
	}
	for rt.Select(c.RecvAsync(), rt.SleepAsync(time.Minute)) == 0 {
	}
	rt.Await(rt.RecvAsync(native))
	l, err := rt.Listen("tcp", "10.0.0.1:0")
	if err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		s.Fatal(err)
	}
	defer l.Close()
	start(func() {
		conn, err := l.AcceptConn()
		if err != nil {
			s.Error(err)
			return
		}
		defer conn.Close()
		for {
			b, err := conn.Borrow()
			if err == io.EOF {
				return
			}
			if err != nil {
				s.Error(err)
				return
			}
			conn.Write(b.Bytes())
			b.Return()
		}
	})
	conn, err := rt.Dial("tcp", l.Addr().String())
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	for n := range 10 {
		out := make([]byte, 100*n)
		if _, err := conn.Write(out); err != nil {
			s.Fatal(err)
		}
		if _, err := io.ReadFull(conn, out); err != nil {
			s.Fatal(err)
		}
	}
}

func TestSameSeedSameTrace(t *testing.T) {
	seen := make(map[uint64]bool)
	for seed := range uint64(20) {
		a, b := traced(t, seed, busy), traced(t, seed, busy)
		if a != b {
			t.Errorf("seed %d: two runs differ", seed)
		}
		seen[a] = true
	}
	if len(seen) < 20 {
		t.Errorf("20 seeds made %d runs", len(seen))
	}
}

// The first poll of a task is in the trace as the others are.
func TestTraceHasFirstPolls(t *testing.T) {
	Config{}.seed(t, 1, func(s *Sim) {
		before := strings.Count(s.w.trace.text(), "polled")
		start(func() {}).Wait()
		// The task, and the one that waited for it.
		if polls := strings.Count(s.w.trace.text(), "polled") - before; polls != 2 {
			t.Errorf("%d polls, want 2:\n%s", polls, s.w.trace.text())
		}
	})
}

// All orders of things that can happen in any order come about.
func TestOrders(t *testing.T) {
	orders := make(map[string]int)
	Seeds(t, 400, func(s *Sim) {
		var order []string
		for _, name := range []string{"a", "b", "c", "d"} {
			start(func() { order = append(order, name) })
		}
		rt.Sleep(time.Second)
		orders[strings.Join(order, "")]++
	})
	if len(orders) != 24 && !testing.Short() {
		t.Errorf("%d orders of 24: %v", len(orders), orders)
	}
}

func TestTime(t *testing.T) {
	real := time.Now()
	Run(t, func(s *Sim) {
		for _, wait := range []func(d time.Duration) error{
			func(d time.Duration) error { rt.Sleep(d); return nil },
			func(d time.Duration) error { time.Sleep(d); return nil },
			func(d time.Duration) error { rt.After(d).Wait(); return nil },
			func(d time.Duration) error { rt.Tick(d).Wait(); return nil },
			func(d time.Duration) error { rt.Blocking(func() { time.Sleep(d) }); return nil },
			func(d time.Duration) error { rt.Await(rt.RecvAsync(time.After(d))); return nil },
			func(d time.Duration) error {
				ctx, cancel := context.WithTimeout(context.Background(), d)
				defer cancel()
				if err := rt.SleepContext(ctx, 2*d); err != context.DeadlineExceeded {
					return errors.New("not cancelled")
				}
				return nil
			},
			func(d time.Duration) error {
				if !rt.WithTimeout(d, new(rt.Event).WaitAsync()).Canceled() {
					return errors.New("not given up")
				}
				return nil
			},
		} {
			elapsed, now := s.Elapsed(), time.Now()
			if err := wait(time.Hour); err != nil {
				s.Error(err)
			}
			if d := s.Elapsed() - elapsed; d != time.Hour || time.Since(now) != d {
				s.Errorf("an hour took %v", d)
			}
		}
	})
	if d := time.Since(real); d > time.Hour {
		t.Errorf("time did pass: %v", d)
	}
}

// What goroutines send to tasks is the same for each run, though the goroutines run
// when the scheduler likes.
func TestGoroutines(t *testing.T) {
	scene := func(s *Sim) {
		c := rt.NewChan[int](0)
		for i := range 8 {
			go func() {
				for range 3 {
					time.Sleep(time.Millisecond)
					c.Send(i)
				}
			}()
		}
		for range 24 {
			c.Recv()
			rt.Yield()
		}
	}
	for seed := range uint64(20) {
		first := traced(t, seed, scene)
		if second := traced(t, seed, scene); first != second {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
}

// Goroutines that use the default runtime use that of their world.
func TestDefaultRuntime(t *testing.T) {
	Run(t, func(s *Sim) {
		rt.Blocking(func() {
			before := time.Now()
			rt.Run(rt.SleepAsync(time.Hour))
			task := rt.Go(rt.SleepAsync(time.Hour))
			task.Wait()
			if d := time.Since(before); d != 2*time.Hour {
				s.Errorf("two hours took %v", d)
			}
		})
	})
	// And outside of it not.
	rt.Run(rt.SleepAsync(time.Millisecond))
	synctest.Test(t, func(t *testing.T) {
		if rt.Default().Stats().Workers[0].Driver == "simulated" {
			t.Error("another bubble has the runtime of a world")
		}
	})
}

// Code on a coroutine of a task waits as the task does.
func TestCoroutine(t *testing.T) {
	Seeds(t, 20, func(s *Sim) {
		var m rt.Mutex
		m.Lock()
		start(func() {
			rt.Sleep(time.Second)
			m.Unlock()
		})
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := range 3 {
				rt.Sleep(time.Minute)
				m.Lock()
				//lint:ignore SA2001 that the lock can be had is the question
				m.Unlock()
				if !yield(i) {
					return
				}
			}
		})
		defer stop()
		for i := range 3 {
			if v, ok := next(); v != i || !ok {
				s.Errorf("got %d, %v", v, ok)
			}
		}
		if d := s.Elapsed(); d != 3*time.Minute {
			s.Errorf("3 minutes took %v", d)
		}
	})
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	Seeds(t, 20, func(s *Sim) {
		name := filepath.Join(dir, "file")
		f, err := rt.Create(name)
		if err != nil {
			s.Fatal(err)
		}
		var all []rt.Task
		for i := range 5 {
			all = append(all, start(func() {
				if _, err := f.WriteAt([]byte("0123456789"), int64(10*i)); err != nil {
					s.Error(err)
				}
			}))
		}
		for _, t := range all {
			t.Wait()
		}
		if err := f.Close(); err != nil {
			s.Error(err)
		}
		if b, err := rt.ReadFile(name); err != nil || string(b) != strings.Repeat("0123456789", 5) {
			s.Errorf("read %q, %v", b, err)
		}
	})
}

// A world ends with tasks that nobody waits for, and with alarms that nobody hears.
func TestEnd(t *testing.T) {
	ended := false
	Run(t, func(s *Sim) {
		rt.After(time.Hour)
		start(func() {
			rt.Sleep(time.Hour)
			ended = true
		})
	})
	if !ended {
		t.Error("a task was not waited for")
	}
}

// The scenes of TestFailures, each of which fails in another way.
var scenes = map[string]func(*Sim){
	"deadlock": func(s *Sim) {
		var m rt.Mutex
		m.Lock()
		rt.Go(m.LockAsync())
		rt.Sleep(time.Second)
		m.Lock()
	},
	"left over": func(s *Sim) { rt.Go(new(rt.Event).WaitAsync()) },
	"panic":     func(s *Sim) { panic("oops") },
	"panic elsewhere": func(s *Sim) {
		start(func() { panic("oops") })
		rt.Sleep(time.Hour)
	},
	"fatal": func(s *Sim) { s.Fatal("oops") },
	"fatal elsewhere": func(s *Sim) {
		var e rt.Event
		start(func() { s.Fatal("oops") })
		e.Wait()
	},
	"spin": func(s *Sim) {
		for {
			rt.Yield()
		}
	},
	"for ever": func(s *Sim) {
		for {
			rt.Sleep(time.Minute)
		}
	},
	"goroutine": func(s *Sim) {
		go rt.Run(new(rt.Event).WaitAsync())
		new(rt.Event).Wait()
	},
	"seed 7": func(s *Sim) {
		if s.Seed() == 7 {
			s.Error("oops")
		}
	},
}

const sceneVar = "RTTEST_SCENE"

func TestScene(t *testing.T) {
	scene := scenes[os.Getenv(sceneVar)]
	if scene == nil {
		t.Skip("it is for TestFailures")
	}
	Seeds(t, 10, scene)
}

func TestFailures(t *testing.T) {
	run := func(env ...string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestScene$", "-test.v", "-test.short=false")
		cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "COGEN_SEED") })
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, test := range []struct {
		scene string
		want  []string
	}{
		{"deadlock", []string{"deadlock: all tasks wait", "*rt.LockFuture", "rttest_test.go:", "COGEN_SEED=1 go test -run '^TestScene$'", "task 1 polled"}},
		{"left over", []string{"deadlock: all tasks wait", "has returned", "*rt.EventFuture"}},
		{"panic", []string{"panic: oops", "rttest_test.go:", "COGEN_SEED=1"}},
		{"panic elsewhere", []string{"panic: oops", "rttest_test.go:", "COGEN_SEED=1"}},
		{"fatal", []string{"rttest_test.go:", ": oops", "COGEN_SEED=1"}},
		{"fatal elsewhere", []string{"rttest_test.go:", ": oops", "COGEN_SEED=1"}},
		{"spin", []string{"no time has passed", "COGEN_SEED=1"}},
		{"for ever", []string{"more than 24h0m0s", "COGEN_SEED=1"}},
		{"goroutine", []string{"deadlock: all tasks wait", "COGEN_SEED=1"}},
		{"seed 7", []string{"oops", "COGEN_SEED=7"}},
	} {
		t.Run(test.scene, func(t *testing.T) {
			out, err := run(sceneVar + "=" + test.scene)
			if err == nil || !strings.Contains(out, "--- FAIL: TestScene") {
				t.Errorf("it did not fail as a test does: %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q", want)
				}
			}
			if strings.HasPrefix(test.scene, "fatal") && strings.Contains(out, "deadlock") {
				t.Error("a deadlock is blamed")
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
	for _, test := range []struct {
		env   string
		fails bool
	}{{"COGEN_SEED=6", false}, {"COGEN_SEED=7", true}, {"COGEN_SEEDS=8:1000", false}, {"COGEN_SEEDS=6:2", true}} {
		if out, err := run(sceneVar+"=seed 7", test.env); (err != nil) != test.fails {
			t.Errorf("%s: %v\n%s", test.env, err, out)
		}
	}
}
