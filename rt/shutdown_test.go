//go:build linux

package rt

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A shut-down runtime leaves nothing: its tasks have got their errors and run their
// deferred calls, and descriptors, mappings, goroutines and threads are gone.
func TestShutdownLeavesNothing(t *testing.T) {
	begin(Default())
	must(net.Listen("tcp", "127.0.0.1:0"))(t).Close()
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			const rounds = 20
			shutDownWithServers(t, m.name) // what is made only once, is made now
			goroutines, descriptors := busyGoroutines(), openDescriptors(t)
			mappings, threads := ringMappings(t), threadsOfProcess(t)
			for range rounds {
				shutDownWithServers(t, m.name)
			}
			waitFor(t, func() bool {
				// Go keeps some threads that it has made for system calls.
				return busyGoroutines() <= goroutines && openDescriptors(t) <= descriptors &&
					ringMappings(t) <= mappings && threadsOfProcess(t) < threads+rounds
			})
		})
	}
}

func shutDownWithServers(t *testing.T, driver string) {
	r := newRuntime(t, driver, 2)
	standIn.Store(r)
	defer standIn.Store(nil)
	l := must(Listen("tcp", "127.0.0.1:0"))(t)
	accepts := &acceptFrame{listener: l, handle: func(c *Conn) { r.Go(echoAsync(c, 64)) }}
	r.Go(accepts)
	var clients []net.Conn
	for range 4 {
		c := dialNet(t, l.Addr().String())
		if err := echoes(c, 1, 100); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	var deferred atomic.Int64
	results := make(chan error, 2)
	client, server := connPair(t)
	r.Go(plainly(func() {
		defer deferred.Add(1)
		defer server.Close()
		deep(10, func() {
			_, err := bufio.NewReader(server).ReadByte()
			results <- err
		})
	}))
	r.Go(plainly(func() {
		defer deferred.Add(1)
		results <- SleepContext(context.Background(), time.Hour)
	}))
	// It computes, and asks.
	r.Go(plainly(func() {
		defer deferred.Add(1)
		for Canceled() == nil {
			Yield()
		}
	}))
	waitFor(t, func() bool { return r.Stats().Suspensions > 2 })

	if err := r.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range cap(results) {
		if err := <-results; !errors.Is(err, ErrClosed) {
			t.Errorf("an operation ended with %v", err)
		}
	}
	if !errors.Is(accepts.err, ErrClosed) {
		t.Errorf("accepting ended with %v", accepts.err)
	}
	if deferred.Load() != 3 || r.Stats().Tasks() != 0 {
		t.Errorf("%d deferred calls ran; %d tasks are left", deferred.Load(), r.Stats().Tasks())
	}
	for _, c := range clients {
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("a connection was left open")
		}
		c.Close()
	}
	standIn.Store(nil)
	client.Close()
	l.Close()
}

// ringMappings counts the mappings of rings.
func ringMappings(t *testing.T) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), "[io_uring]")
}

func threadsOfProcess(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Tasks that do not notice are left when the time is up, and then ended as by Close.
func TestShutdownRunsOutOfTime(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r := newRuntime(t, m.name, 2)
			var deferred atomic.Bool
			tasks := []Task{
				r.Go(newSleeper(time.Hour)),
				r.Go(plainly(func() {
					defer deferred.Store(true)
					Sleep(time.Hour)
				})),
			}
			waitFor(t, func() bool { return r.Stats().Suspensions == 1 })
			ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer stop()
			err := r.Shutdown(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "2 tasks left") {
				t.Errorf("got %v", err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if !tasks[0].Done() || !tasks[1].Done() || !deferred.Load() {
				t.Error("the tasks were not ended")
			}
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

// A poll that is away does not keep Shutdown from returning in time.
func TestShutdownWhilePollIsAway(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			r := newRuntime(t, m.name, 1)
			release, away := make(chan bool), make(chan bool)
			r.Go(plainly(func() { close(away); <-release }))
			<-away
			ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer stop()
			if err := r.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			close(release)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Tasks that pass work on from worker to worker are waited for to the last one, also if
// each worker is without tasks most of the time.
func TestShutdownWaitsForTasksOfTasks(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			for range 30 {
				r := newRuntime(t, m.name, 3)
				const n = 500
				var ran atomic.Int64
				var pass func()
				pass = func() {
					if k := ran.Add(1); k < n {
						r.workers[int(k)%len(r.workers)].spawnFrom(plainly(pass), nil)
					}
				}
				r.Go(plainly(pass))
				if err := r.Shutdown(context.Background()); err != nil {
					t.Fatal(err)
				}
				if ran.Load() != n {
					t.Fatalf("%d tasks ran, want %d", ran.Load(), n)
				}
			}
		})
	}
}

func TestShutdownInATaskPanics(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			defer func() {
				if recover() == nil {
					t.Error("Shutdown in a task did not panic")
				}
			}()
			r.Shutdown(context.Background())
		}))
	})
}
