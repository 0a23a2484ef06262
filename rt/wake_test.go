package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A mailbox is a future that finishes when it has been sent n messages. Anyone
// may send.
type mailbox struct {
	n     int64
	sent  atomic.Int64
	polls atomic.Int64
	waker chan Waker // gets the waker once
}

func newMailbox(n int64) *mailbox { return &mailbox{n: n, waker: make(chan Waker, 1)} }

func (m *mailbox) Poll(cx *Context) bool {
	if m.polls.Add(1) == 1 {
		m.waker <- cx.Waker()
	}
	return m.sent.Load() == m.n
}

func (m *mailbox) send(k Waker) {
	m.sent.Add(1)
	k.Wake()
}

// Many goroutines wake many tasks many times; each message counts.
func TestWakeUpStorm(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		const boxes, senders, each = 50, 8, 200
		var wg sync.WaitGroup
		for range boxes {
			m := newMailbox(senders * each)
			wg.Go(func() { r.Run(m) })
			k := <-m.waker
			for range senders {
				wg.Go(func() {
					for range each {
						m.send(k)
					}
				})
			}
		}
		wg.Wait()
	})
}

// The worker is about to sleep, sleeps, or is about to wake when the one message
// that it waits for is sent, over and over.
func TestNoWakeUpIsLost(t *testing.T) {
	rounds := 5000
	if testing.Short() {
		rounds = 500
	}
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		seen := make(chan int64)
		m := newMailbox(-1)
		echo := &echoing{mailbox: m, seen: seen}
		h := r.Go(echo)
		k := <-m.waker
		for i := range rounds {
			for range i % 50 {
				runtime.Gosched()
			}
			m.send(k)
			select {
			case n := <-seen:
				if n != int64(i+1) {
					t.Fatalf("the task saw %d messages, want %d", n, i+1)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("message %d did not wake the task", i+1)
			}
		}
		echo.stop.Store(true)
		k.Wake()
		h.Wait()
	})
}

// An echoing mailbox tells on a channel each time that it has seen a message.
type echoing struct {
	*mailbox
	last int64
	seen chan int64
	stop atomic.Bool
}

func (e *echoing) Poll(cx *Context) bool {
	e.mailbox.Poll(cx)
	if n := e.sent.Load(); n != e.last {
		e.last = n
		e.seen <- n
	}
	return e.stop.Load()
}

// A waker does nothing when its task has finished, also to the task that got
// its struct.
func TestWakerAfterFinish(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		m := newMailbox(1)
		h := r.Go(m)
		k := <-m.waker
		m.send(k)
		h.Wait()
		finished := m.polls.Load()

		next := newMailbox(1)
		r.Run(plainly(func() {
			// The last struct that was freed is the next one used.
			for {
				h := Go(next)
				if h.task == k.task {
					break
				}
				Yield()
				next.send(<-next.waker)
				h.Wait()
				next = newMailbox(1)
			}
			current := next.polls.Load()
			for range 100 {
				k.Wake()
				Yield()
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				for range 100 {
					k.Wake()
				}
			})
			wg.Wait()
			Yield()
			Yield()
			if n := next.polls.Load() - current; n > 1 {
				t.Errorf("the struct's next task was polled %d times", n)
			}
		}))
		next.send(<-next.waker)
		if m.polls.Load() != finished {
			t.Error("a finished future was polled")
		}
		Waker{}.Wake()
	})
}

// Wakes by those who do not know that a task has finished reach its struct when
// it is free, or has been taken for another task; at most that one is polled
// once too often.
func TestLateWakes(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var mu sync.Mutex
		seen := map[*task]bool{}
		var stop atomic.Bool
		var wakers, starters sync.WaitGroup
		for range 3 {
			wakers.Go(func() {
				for !stop.Load() {
					mu.Lock()
					for k := range seen {
						k.wake()
					}
					mu.Unlock()
					runtime.Gosched()
				}
			})
		}
		var ran atomic.Int64
		const goroutines, each = 4, 500
		for range goroutines {
			starters.Go(func() {
				for range each {
					h := r.Go(plainly(func() {
						ran.Add(1)
						r.Go(plainly(func() { ran.Add(1) })).Wait()
					}))
					mu.Lock()
					seen[h.task] = true
					mu.Unlock()
					h.Wait()
				}
			})
		}
		starters.Wait()
		stop.Store(true)
		wakers.Wait()
		if n := ran.Load(); n != 2*goroutines*each {
			t.Errorf("%d tasks ran, want %d", n, 2*goroutines*each)
		}
	})
}

// Spurious wakes of every kind of leaf are harmless.
func TestSpuriousWakes(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		ch := make(chan int)
		var locked sync.Mutex
		locked.Lock()
		var group sync.WaitGroup
		group.Add(1)
		release := make(chan bool)
		gate := r.Go(newReceiver(release))

		sleep := SleepAsync(50 * time.Millisecond)
		recv := RecvAsync(ch)
		send := SendAsync(ch, 7)
		lock := MutexLockAsync(&locked)
		wait := WaitGroupWaitAsync(&group)
		task := gate.WaitAsync()
		blocked := BlockingAsync(func() { <-release })
		leaves := []Future{sleep, recv, send, lock, wait, task, blocked}

		var wg sync.WaitGroup
		var done atomic.Int64
		for _, f := range leaves {
			pest := &pestered{future: f, waker: make(chan Waker, 1)}
			wg.Go(func() {
				r.Run(pest)
				done.Add(1)
			})
			wg.Go(func() {
				for k := <-pest.waker; !pest.finished.Load(); runtime.Gosched() {
					k.Wake()
				}
			})
		}
		time.Sleep(time.Millisecond)
		close(release)
		locked.Unlock()
		group.Done()
		wg.Wait()
		if v, ok := recv.Result(); v != 7 || !ok {
			t.Errorf("received %v, %v", v, ok)
		}
	})
}

// A pestered future passes polls on, and gives away its task's waker.
type pestered struct {
	future   Future
	waker    chan Waker
	polled   bool
	finished atomic.Bool
}

func (p *pestered) Poll(cx *Context) bool {
	if !p.polled {
		p.polled = true
		p.waker <- cx.Waker()
	}
	if p.finished.Load() {
		panic("a finished future was polled")
	}
	if p.future.Poll(cx) {
		p.finished.Store(true)
		return true
	}
	return false
}

// exec calls functions in order, on the worker's thread, from its own too.
func TestExec(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		w := r.workers[0]
		const n = 1000
		var got []int
		done := make(chan bool)
		for i := range n {
			w.exec(func() {
				if cx := currentContext(); cx == nil || cx.worker != w || cx.task != nil {
					t.Error("not between polls on the worker")
				}
				w.exec(func() {
					got = append(got, i)
					if len(got) == n {
						close(done)
					}
				})
			})
		}
		<-done
		for i, v := range got {
			if v != i {
				t.Fatalf("call %d came as number %d", v, i)
			}
		}
	})
}
