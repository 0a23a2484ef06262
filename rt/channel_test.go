package rt

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestChannelReady(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		ch := make(chan string, 1)
		send := SendAsync(ch, "a")
		r.Run(send)
		recv := RecvAsync(ch)
		r.Run(recv)
		if v, ok := recv.Result(); v != "a" || !ok {
			t.Errorf("received %q, %v", v, ok)
		}
		close(ch)
		recv = RecvAsync(ch)
		r.Run(recv)
		if v, ok := recv.Result(); v != "" || ok {
			t.Errorf("received %q, %v from a closed channel", v, ok)
		}
	})
}

// Values go from tasks to tasks and goroutines through an unbuffered channel,
// each once.
func TestChannelBetweenTasksAndGoroutines(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		const senders, each = 10, 100
		ch := make(chan int)
		var mu sync.Mutex
		got := map[int]int{}
		note := func(v int) {
			mu.Lock()
			got[v]++
			mu.Unlock()
		}
		var sending, receiving sync.WaitGroup
		for i := range senders {
			values := func(send func(int)) func() {
				return func() {
					for j := range each {
						send(i*each + j)
					}
				}
			}
			sending.Go(func() {
				if i%2 == 0 {
					values(func(v int) { ch <- v })()
					return
				}
				r.Run(plainly(values(func(v int) {
					f := SendAsync(ch, v)
					Await(f)
				})))
			})
			receiving.Go(func() {
				if i%2 == 0 {
					for v := range ch {
						note(v)
					}
					return
				}
				r.Run(plainly(func() {
					for {
						f := RecvAsync(ch)
						v, ok := Await(f).Result()
						if !ok {
							return
						}
						note(v)
					}
				}))
			})
		}
		sending.Wait()
		close(ch)
		receiving.Wait()
		for v := range senders * each {
			if got[v] != 1 {
				t.Errorf("%d was received %d times", v, got[v])
			}
		}
	})
}

func TestSendOnClosedChannelPanics(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		native, _ := caught(func() {
			ch := make(chan int)
			close(ch)
			ch <- 1
		})
		check := func(when string, send func()) {
			t.Helper()
			v, _ := caught(send)
			if err, ok := v.(runtime.Error); !ok || err != native {
				t.Errorf("%s: panic %v, want %v", when, v, native)
			}
		}
		closed := make(chan int)
		close(closed)
		check("closed before", func() {
			f := SendAsync(closed, 1)
			r.Run(f)
		})
		if !raceEnabled { // closing while others send is a race by definition
			check("closed meanwhile", func() {
				ch := make(chan int)
				time.AfterFunc(5*time.Millisecond, func() { close(ch) })
				f := SendAsync(ch, 1)
				r.Run(f)
			})
		}
		if native, ok := native.(error); !ok || !strings.Contains(native.Error(), "closed channel") {
			t.Errorf("the operator panicked with %v", native)
		}
	})
}

// Waiting for a nil channel takes no goroutine.
func TestNilChannel(t *testing.T) {
	// Without standby threads, which would be counted.
	r, err := New(Config{Workers: 1, HandOff: -1})
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	var tasks []Task
	for range 100 {
		tasks = append(tasks, r.Go(newReceiver[int](nil)))
		send := SendAsync[int](nil, 1)
		tasks = append(tasks, r.Go(send))
	}
	waitFor(t, func() bool { return r.Stats().Polls >= 200 })
	r.Run(newSleeper(time.Millisecond))
	for _, h := range tasks {
		if h.Done() {
			t.Fatal("it ended")
		}
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines more", n-before)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMutexAndWaitGroup(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var mu sync.Mutex
		var group sync.WaitGroup
		n := 0
		for i := range 20 {
			group.Go(func() {
				if i%2 == 0 {
					for range 100 {
						mu.Lock()
						n++
						mu.Unlock()
					}
					return
				}
				r.Run(plainly(func() {
					for range 100 {
						f := MutexLockAsync(&mu)
						Await(f)
						n++
						Yield()
						mu.Unlock()
					}
				}))
			})
		}
		wait := WaitGroupWaitAsync(&group)
		r.Run(wait)
		if n != 2000 {
			t.Errorf("counted %d", n)
		}
		// Both again, in place.
		lock := MutexLockAsync(&mu)
		r.Run(lock)
		mu.Unlock()
		lock.Init(&mu)
		r.Run(lock)
		mu.Unlock()
		wait.Init(&group)
		r.Run(wait)
	})
}

// Blocking calls that wait for each other all get to run, and the worker goes
// on with other tasks meanwhile.
func TestBlockingCallsDoNotHoldTheWorker(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		const n = 400
		var all sync.WaitGroup
		all.Add(n)
		var tasks []Task
		for range n {
			f := BlockingAsync(func() {
				all.Done()
				all.Wait()
			})
			tasks = append(tasks, r.Go(f))
			r.Run(&yielder{n: 2})
		}
		for _, h := range tasks {
			h.Wait()
		}
	})
}

// Idle goroutines of the pool end when there is nothing to do for them.
func TestIdleBlockersRetire(t *testing.T) {
	r := newRuntime(t, "", 1)
	defer r.Close()
	r.Run(plainly(func() { Blocking(func() {}) }))
	waitFor(t, func() bool {
		blockers.mu.Lock()
		defer blockers.mu.Unlock()
		return len(blockers.idle) == 0
	})
}
