package rt

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Values arrive once each, and those of one sender in order, whatever the forms and
// the capacity.
func TestChanDelivers(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, capacity := range []int{0, 1, 7} {
			c := NewChan[[2]int](capacity)
			const senders = 6
			var ids atomic.Int64
			var sending, receiving sync.WaitGroup
			send := party{
				async: func() Future {
					id, i := int(ids.Add(1)-1), 0
					return loop(syncRounds, func() *script {
						i++
						return steps(func() Future { return c.SendAsync([2]int{id, i}) })
					})
				},
				plain: func() {
					id := int(ids.Add(1) - 1)
					for i := range syncRounds {
						c.Send([2]int{id, i + 1})
					}
				},
			}
			var mu sync.Mutex
			var sums [senders]int
			// received is called by one receiver with what it got.
			received := func(last *[senders]int, v [2]int) {
				if v[1] <= last[v[0]] {
					t.Errorf("sender %d: %d after %d", v[0], v[1], last[v[0]])
				}
				last[v[0]] = v[1]
				mu.Lock()
				sums[v[0]] += v[1]
				mu.Unlock()
			}
			receive := party{
				async: func() Future {
					var last [senders]int
					var f *ChanRecvFuture[[2]int]
					return &script{step: func() Future {
						if f != nil {
							v, ok := f.Result()
							if !ok {
								return nil
							}
							received(&last, v)
						}
						f = c.RecvAsync()
						return f
					}}
				},
				plain: func() {
					var last [senders]int
					for v := range c.All() {
						received(&last, v)
					}
				},
			}
			sending.Go(func() { together(t, r, senders/3, send) })
			receiving.Go(func() { together(t, r, 1, receive) })
			sending.Wait()
			c.Close()
			receiving.Wait()
			for id, sum := range sums {
				if sum != syncRounds*(syncRounds+1)/2 {
					t.Errorf("capacity %d: sum %d of sender %d", capacity, sum, id)
				}
			}
		}
	})
}

// Close wakes all: receivers with nothing, senders with a panic.
func TestChanCloseWakes(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c := NewChan[int](0)
		var over sync.WaitGroup
		for _, recv := range []func(){
			func() { c.Recv() },
			func() { r.Run(c.RecvAsync()) },
			func() { r.Run(plainly(func() { c.Recv() })) },
		} {
			over.Go(recv)
		}
		waitFor(t, func() bool { return waiters(&c.mu, &c.receivers) == 3 })
		c.Close()
		over.Wait()
		if v, ok := c.Recv(); v != 0 || ok {
			t.Error(v, ok)
		}

		d := NewChan[int](1)
		d.Send(1)
		for _, send := range []func(){
			func() { d.Send(2) },
			func() { r.Run(d.SendAsync(2)) },
			func() { r.Run(plainly(func() { d.Send(2) })) },
		} {
			over.Go(func() {
				defer func() {
					if v := recover(); v != errSendClosed {
						t.Errorf("panic %v", v)
					}
				}()
				send()
			})
		}
		waitFor(t, func() bool { return waiters(&d.mu, &d.senders) == 3 })
		d.Close()
		over.Wait()
		if v, ok := d.Recv(); v != 1 || !ok {
			t.Error(v, ok)
		}
		if v, ok := d.Recv(); v != 0 || ok {
			t.Error(v, ok)
		}
	})
}

func waiters(mu *sync.Mutex, l *waitList) int {
	mu.Lock()
	defer mu.Unlock()
	n := 0
	for e := l.head; e != nil; e = e.next {
		n++
	}
	return n
}

// Receives and sends are given up at any moment, and no value is lost or made.
func TestChanTimeouts(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c := NewChan[int](0)
		var sent, got atomic.Int64
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for range syncRounds / 2 {
					d := time.Duration(rand.IntN(10)) * time.Microsecond
					if f := WithTimeout(d, c.SendAsync(1)); !f.Canceled() {
						sent.Add(1)
					}
				}
			})
			running.Go(func() {
				r.Run(plainly(func() {
					for range syncRounds / 2 {
						d := time.Duration(rand.IntN(10)) * time.Microsecond
						f := WithTimeout(d, c.RecvAsync())
						if v, ok := f.Result(); !f.Canceled() {
							if !ok || v != 1 {
								t.Error(v, ok)
							}
							got.Add(1)
						}
					}
				}))
			})
		}
		running.Wait()
		if sent.Load() != got.Load() {
			t.Errorf("%d sent, %d received", sent.Load(), got.Load())
		}
		t.Logf("%d values", sent.Load())
	})
}

// Selects on the same channels, in different orders and both directions, from all
// sides: each value arrives once, and nobody misses the other.
func TestSelectExchanges(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		a, b := NewChan[int](0), NewChan[int](0)
		var sent, got, alone atomic.Int64
		// Each party sends or receives, on either channel, so any two can go on. The
		// last one has nobody in the end.
		body := func() (choice *ChoiceFuture, end func()) {
			cases := []Canceler{a.RecvAsync(), b.SendAsync(1), a.SendAsync(1), b.RecvAsync(), nil, SleepAsync(100 * time.Millisecond)}
			perm := rand.Perm(len(cases))
			list := make([]Canceler, len(cases))
			for i, p := range perm {
				list[i] = cases[p]
			}
			f := SelectAsync(list...)
			return f, func() {
				for i, c := range list {
					if _, sleeps := c.(*SleepFuture); c == nil || sleeps && i != f.Result() {
						continue // time may have passed all the same
					}
					if (i == f.Result()) == c.Canceled() {
						t.Errorf("case %d canceled is %v, the choice %d", i, c.Canceled(), f.Result())
					}
				}
				switch f := list[f.Result()].(type) {
				case *ChanRecvFuture[int]:
					got.Add(1)
					if v, ok := f.Result(); v != 1 || !ok {
						t.Error(v, ok)
					}
				case *ChanSendFuture[int]:
					sent.Add(1)
				case *SleepFuture:
					alone.Add(1)
				}
			}
		}
		together(t, r, 2, party{
			async: func() Future {
				return loop(syncRounds, func() *script {
					f, end := body()
					return steps(func() Future { return f }, after(end))
				})
			},
			plain: func() {
				for range syncRounds {
					f, end := body()
					Await(f)
					end()
				}
			},
		})
		if sent.Load() != got.Load() || sent.Load()+got.Load()+alone.Load() != 6*syncRounds {
			t.Errorf("%d sent, %d received, %d did not", sent.Load(), got.Load(), alone.Load())
		}
	})
}

func TestSelect(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			c := NewChan[int](1)
			if i := Select(c.RecvAsync(), SleepAsync(time.Millisecond)); i != 1 {
				t.Errorf("chose %d, want the timeout", i)
			}
			c.Send(5)
			recv := c.RecvAsync()
			if i := Select(nil, SleepAsync(time.Hour), recv); i != 2 {
				t.Errorf("chose %d, want the receive", i)
			}
			if v, ok := recv.Result(); v != 5 || !ok {
				t.Error(v, ok)
			}
			if waiters(&c.mu, &c.receivers) != 0 {
				t.Error("a receiver is left")
			}
			if i := WithTimeout(time.Millisecond, SelectAsync(c.RecvAsync(), SleepAsync(time.Hour))).Result(); i != -1 {
				t.Errorf("chose %d, want -1", i)
			}
			c.Close()
			defer func() {
				if v := recover(); v != errSendClosed {
					t.Error(v)
				}
			}()
			Select(c.SendAsync(1), SleepAsync(time.Hour))
		}))
	})
}

// Of two cases that are always ready both are chosen.
func TestSelectIsFair(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			a, b := NewChan[int](0), NewChan[int](0)
			a.Close()
			b.Close()
			var n [3]int
			for range 300 {
				n[Select(a.RecvAsync(), b.RecvAsync(), SleepAsync(0))]++
			}
			if n[0] == 0 || n[1] == 0 || n[2] == 0 {
				t.Errorf("chosen %v", n)
			}
		}))
	})
}
