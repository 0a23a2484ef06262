package rt

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// withDrivers has makers stand in for the drivers there are, and any of them used
// whatever the environment says.
func withDrivers(t *testing.T, makers ...driverMaker) {
	t.Setenv("COGEN_DRIVER", "")
	saved := driverMakers
	driverMakers = makers
	t.Cleanup(func() { driverMakers = saved })
}

func TestDriverIsChosen(t *testing.T) {
	epoll := driverMakers[1]
	broken := driverMaker{"uring", func(*blocking.Pool) (driver.Driver, error) { return nil, errors.New("not permitted") }}
	renamed := driverMaker{"uring", epoll.make}

	open := func(c Config) (FeatureSet, error) {
		r, err := New(c)
		if err != nil {
			return FeatureSet{}, err
		}
		defer r.Close()
		f := r.Features()
		// What is said of the engine that switches stacks is another subject.
		f.PassedOver = slices.DeleteFunc(f.PassedOver, func(s string) bool { return strings.HasPrefix(s, "exchange: ") })
		return f, nil
	}
	t.Run("the first that works", func(t *testing.T) {
		withDrivers(t, broken, epoll)
		f, err := open(Config{Workers: 2})
		if err != nil || f.Driver != "epoll" || len(f.PassedOver) != 1 || f.PassedOver[0] != "uring: not permitted" {
			t.Errorf("got %+v, %v", f, err)
		}
		if s := f.String(); !strings.Contains(s, "driver=epoll") || !strings.Contains(s, "not permitted") {
			t.Errorf("String is %q", s)
		}
	})
	t.Run("none works", func(t *testing.T) {
		goroutines := runtime.NumGoroutine()
		withDrivers(t, broken, broken)
		if _, err := open(Config{}); err == nil || !strings.Contains(err.Error(), "not permitted") {
			t.Errorf("error is %v", err)
		}
		waitFor(t, func() bool { return runtime.NumGoroutine() <= goroutines })
	})
	t.Run("the wanted one does not work", func(t *testing.T) {
		withDrivers(t, broken, epoll)
		if _, err := open(Config{Driver: "uring"}); err == nil {
			t.Error("another one was taken")
		}
	})
	t.Run("unknown", func(t *testing.T) {
		if _, err := open(Config{Driver: "select"}); err == nil || !strings.Contains(err.Error(), `"select"`) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("environment", func(t *testing.T) {
		withDrivers(t, renamed, epoll)
		t.Setenv("COGEN_DRIVER", "epoll")
		t.Setenv("COGEN_WORKERS", "3")
		f, err := open(Config{})
		if err != nil || f.Driver != "epoll" || f.Workers != 3 || len(f.PassedOver) != 0 {
			t.Errorf("got %+v, %v", f, err)
		}
		t.Setenv("COGEN_WORKERS", "none")
		if _, err := open(Config{}); err == nil || !strings.Contains(err.Error(), "COGEN_WORKERS") {
			t.Errorf("error is %v", err)
		}
		if f, err := open(Config{Workers: 1}); err != nil || f.Workers != 1 {
			t.Errorf("got %+v, %v", f, err)
		}
		if _, err := open(Config{Workers: -1}); err == nil {
			t.Error("a negative number of workers is accepted")
		}
		t.Setenv("COGEN_HANDOFF", "never")
		if _, err := open(Config{Workers: 1}); err == nil || !strings.Contains(err.Error(), "COGEN_HANDOFF") {
			t.Errorf("error is %v", err)
		}
		if _, err := open(Config{Workers: 1, HandOff: -1}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a worker fails", func(t *testing.T) {
		goroutines := runtime.NumGoroutine()
		made := 0
		withDrivers(t, driverMaker{"uring", func(*blocking.Pool) (driver.Driver, error) {
			if made++; made > 2 {
				return nil, errors.New("one too many")
			}
			return epoll.make(nil)
		}})
		if _, err := open(Config{Workers: 4}); err == nil || !strings.Contains(err.Error(), "worker 2") {
			t.Errorf("error is %v", err)
		}
		waitFor(t, func() bool { return runtime.NumGoroutine() <= goroutines })
	})
}

// Closing ends every kind of task that is alive.
func TestCloseWithTasksAlive(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r := newRuntime(t, m.name, 2)
			never := make(chan int)
			var deferred, started atomic.Int64
			const n = 50
			var tasks []Task
			for range n {
				tasks = append(tasks,
					r.Go(newSleeper(time.Hour)),
					r.Go(newReceiver[int](nil)),
					r.Go(&flagWatcher{new(atomic.Bool)}),
					r.Go(plainly(func() {
						defer func() {
							defer deferred.Add(1)
							Sleep(time.Hour) // cannot wait any more
							t.Error("waited while its runtime was closed")
						}()
						started.Add(1)
						deep(10, func() { Sleep(time.Hour) })
					})))
			}
			// Goroutines wait in Run, for frames and for plain code.
			waiters := make(chan any)
			for i := range n {
				go func() {
					v, exited := caught(func() {
						started.Add(1)
						if i%2 == 0 {
							r.Run(newReceiver(never))
						} else {
							r.Run(plainly(func() { Sleep(time.Hour) }))
						}
					})
					if exited {
						v = "Goexit"
					}
					waiters <- v
				}()
			}
			waitFor(t, func() bool { return started.Load() == 2*n })
			time.Sleep(5 * time.Millisecond)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
			for range n {
				if v := <-waiters; v != ErrClosed {
					t.Errorf("a waiter got %v", v)
				}
			}
			for _, h := range tasks {
				if !h.Done() {
					t.Fatal("a task is not done")
				}
			}
			if deferred.Load() != n {
				t.Errorf("%d deferred calls ran, want %d", deferred.Load(), n)
			}
			if v, _ := caught(func() { r.Run(&yielder{}) }); v != ErrClosed {
				t.Errorf("Run on a closed runtime: panic %v", v)
			}
			if v, _ := caught(func() { r.Go(&yielder{}) }); v != ErrClosed {
				t.Errorf("Go on a closed runtime: panic %v", v)
			}
			if r.workers[0].exec(func() { t.Error("called after the end") }) {
				t.Error("exec accepted a function")
			}
			if s := r.Stats(); s.Tasks() != 0 {
				t.Errorf("%d tasks are alive", s.Tasks())
			}
			close(never)
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

func TestCloseInATaskPanics(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		if v, _ := caught(func() { r.Run(plainly(func() { r.Close() })) }); v == nil {
			t.Error("no panic")
		}
	})
}

// Tasks are started and woken while the runtime closes.
func TestCloseRacesWithStartsAndWakes(t *testing.T) {
	for range 50 {
		r := newRuntime(t, "", 2)
		ended := make(chan bool)
		const n = 4
		for range n {
			go func() {
				defer func() { ended <- recover() == ErrClosed }()
				m := newMailbox(-1)
				r.Go(m)
				var k Waker
				for {
					select {
					case k = <-m.waker:
					default:
					}
					k.Wake()
					r.Go(&yielder{n: 3}).Wait()
					r.Run(&yielder{n: 1})
				}
			}()
		}
		time.Sleep(time.Millisecond)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for range n {
			if !<-ended {
				t.Error("a caller ended otherwise than with ErrClosed")
			}
		}
	}
}

func TestStats(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		for range 10 {
			r.Run(&yielder{n: 9})
		}
		waitFor(t, func() bool { return r.Stats().Finished == 10 })
		s := r.Stats()
		if s.Started != 10 || s.Polls != 100 || len(s.Workers) != 2 {
			t.Errorf("stats are %+v", s)
		}
		if f := r.Features(); (f.Driver == "uring") != (f.Ring != "") {
			t.Errorf("features are %v", f)
		}
		if w := s.Workers[0]; w.Driver != r.Features().Driver || w.Counters.Syscalls == 0 {
			t.Errorf("worker's are %+v", w)
		}
	})
}
