package rttest_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// A lockModel is what is known about a lock: how many permits are taken, and who waits.
type lockModel struct {
	name  string
	limit int64
	taken int64
	queue []request // those who have not been served, nor know that they have given up
	last  int       // the latest request that has been served
}

type request struct {
	ticket int
	n      int64
}

func (m *lockModel) leave(ticket int) {
	i := slices.IndexFunc(m.queue, func(r request) bool { return r.ticket == ticket })
	m.queue = slices.Delete(m.queue, i, i+1)
}

// Of a lock there is one holder, or many readers, or as many as there are permits. Who
// gives up does not have it, and does not hold up others. Nobody passes those who wait, and
// nobody waits who could be served.
func TestSimLocks(t *testing.T) {
	simulate(t, func(y *play) {
		var mutex rt.Mutex
		var rw rt.RWMutex
		size := int64(y.between(1, 5))
		sem := rt.NewSemaphore(size)
		const all = 1 << 30
		models := []*lockModel{{name: "mutex", limit: 1}, {name: "rwmutex", limit: all}, {name: "semaphore", limit: size}}
		only := -1 // which lock there is
		if y.odds(1) {
			only = y.s.Rand().IntN(3)
		}
		var mu sync.Mutex // guards the models, which goroutines use as well
		tickets := 0
		for range y.between(2, 8) {
			p := y.add()
			for range y.between(1, 6) {
				p.pause()
				which := only
				if which < 0 {
					which = y.s.Rand().IntN(3)
				}
				m := models[which]
				var n int64 = 1
				var begin func() rt.Canceler
				var plain, release func()
				var try func() bool
				switch which {
				case 0:
					begin = func() rt.Canceler { return mutex.LockAsync() }
					plain, try, release = mutex.Lock, mutex.TryLock, mutex.Unlock
				case 1:
					begin = func() rt.Canceler { return rw.RLockAsync() }
					plain, try, release = rw.RLock, rw.TryRLock, rw.RUnlock
					if y.odds(1) {
						n = all
						begin = func() rt.Canceler { return rw.LockAsync() }
						plain, try, release = rw.Lock, rw.TryLock, rw.Unlock
					}
				case 2:
					n = int64(y.between(1, int(size)))
					begin = func() rt.Canceler { return sem.AcquireAsync(n) }
					plain, try, release = func() { sem.Acquire(n) }, func() bool { return sem.TryAcquire(n) }, func() { sem.Release(n) }
				}
				var ticket int
				var got bool
				ask := func() {
					mu.Lock()
					defer mu.Unlock()
					tickets++
					ticket = tickets
					m.queue = append(m.queue, request{ticket, n})
				}
				served := func(ok bool) {
					mu.Lock()
					defer mu.Unlock()
					m.leave(ticket)
					if got = ok; !got {
						return
					}
					m.last = max(m.last, ticket)
					if m.taken += n; m.taken > m.limit {
						y.s.Errorf("%s: %d permits of %d", m.name, m.taken, m.limit)
					}
				}
				if y.odds(5) {
					p.call(func() { ask(); served(try()) })
				} else {
					p.attempt(func() rt.Canceler { ask(); return begin() }, func() { ask(); plain() }, served)
				}
				p.pause()
				p.call(func() {
					if got {
						mu.Lock()
						m.taken -= n
						mu.Unlock()
						release()
					}
				})
			}
		}
		// Everything happens at whole milliseconds, so between them all wait who have to.
		playing := true
		start(func() {
			rt.Sleep(time.Millisecond / 2)
			for playing {
				mu.Lock()
				for _, m := range models {
					if len(m.queue) == 0 {
						continue
					}
					first := m.queue[0]
					if y.goroutines {
						// The order in which they have come is not known.
						first = slices.MaxFunc(m.queue, func(a, b request) int { return cmp.Compare(a.n, b.n) })
					} else if first.ticket < m.last {
						y.s.Errorf("%s: %d has passed %d, which waits", m.name, m.last, first.ticket)
					}
					if m.taken+first.n <= m.limit {
						y.s.Errorf("%s: %d permits of %d are taken, and one waits for %d", m.name, m.taken, m.limit, first.n)
					}
				}
				mu.Unlock()
				rt.Sleep(time.Millisecond)
			}
		})
		y.enact()
		playing = false
		if !mutex.TryLock() || !rw.TryLock() || !sem.TryAcquire(size) {
			y.s.Error("something is still locked when nobody is there")
		}
	})
}

// Who comes first is served first, whatever the order in which tasks run.
func TestSimFair(t *testing.T) {
	simulate(t, func(y *play) {
		y.goroutines = false // the order in which they come is not known
		var mutex rt.Mutex
		var rw rt.RWMutex
		sem := rt.NewSemaphore(1)
		c := rt.NewChan[int](0)
		cond := rt.NewCond(new(rt.Mutex))
		kinds := []struct {
			begin   func() rt.Future
			plain   func()
			release func()
		}{
			{func() rt.Future { return mutex.LockAsync() }, mutex.Lock, mutex.Unlock},
			{func() rt.Future { return rw.LockAsync() }, rw.Lock, rw.Unlock},
			{func() rt.Future { return sem.AcquireAsync(1) }, func() { sem.Acquire(1) }, func() { sem.Release(1) }},
		}
		kind := kinds[y.s.Rand().IntN(len(kinds))]
		var came, served, received, receivedFrom, woken, waited []int
		n := y.between(2, 8)
		for i := range n {
			p := y.add()
			for range y.between(1, 3) {
				p.pause()
				p.do(step{
					await: func() rt.Future { came = append(came, i); return kind.begin() },
					plain: func() { came = append(came, i); kind.plain() },
					then:  func() { served = append(served, i) },
				})
				p.pause()
				p.call(kind.release)
			}
			p.pause()
			p.do(step{
				await: func() rt.Future { receivedFrom = append(receivedFrom, i); return c.SendAsync(i) },
				plain: func() { receivedFrom = append(receivedFrom, i); c.Send(i) },
			})
			p.pause()
			p.do(step{await: func() rt.Future { return cond.L.LockAsync() }, plain: cond.L.Lock})
			p.do(step{
				await: func() rt.Future { waited = append(waited, i); return cond.WaitAsync() },
				plain: func() { waited = append(waited, i); cond.Wait() },
				then:  func() { woken = append(woken, i); cond.L.Unlock() },
			})
		}
		start(func() {
			for range n {
				rt.Sleep(time.Duration(y.between(0, 3)) * time.Millisecond)
				v, _ := c.Recv()
				received = append(received, v)
			}
			for len(woken) < n {
				rt.Sleep(time.Millisecond)
				cond.L.Lock()
				cond.Signal()
				cond.L.Unlock()
			}
		})
		y.enact()
		if !slices.Equal(came, served) {
			y.s.Errorf("lock: came %v, served %v", came, served)
		}
		if !slices.Equal(receivedFrom, received) {
			y.s.Errorf("channel: came %v, received %v", receivedFrom, received)
		}
		if !slices.Equal(waited, woken) {
			y.s.Errorf("cond: came %v, woken %v", waited, woken)
		}
	})
}

// A buffer of bounded size, with conditions. What is put comes out once and in order, and
// no signal is lost, though some who wait give up.
func TestSimCond(t *testing.T) {
	simulate(t, func(y *play) {
		y.goroutines = false
		var m rt.Mutex
		notEmpty, notFull := rt.NewCond(&m), rt.NewCond(&m)
		var buffer []int
		room := y.between(1, 3)
		put, taken := 0, 0
		broadcast := y.odds(2)
		tell := func(c *rt.Cond) {
			if broadcast {
				c.Broadcast()
			} else {
				c.Signal()
			}
		}
		act := func(p *party, c *rt.Cond, possible func() bool, act func()) {
			p.do(step{await: func() rt.Future { return m.LockAsync() }, plain: m.Lock})
			p.do(step{
				await: func() rt.Future {
					if possible() {
						return new(rt.StressFuture)
					}
					f := c.WaitAsync()
					if y.odds(1) {
						return rt.WithTimeoutAsync(time.Duration(y.between(0, 4))*time.Millisecond, f)
					}
					return f
				},
				plain: func() {
					if !possible() {
						c.Wait()
					}
				},
				then: func() {
					if m.TryLock() {
						y.s.Error("a wait has returned without the lock")
					}
				},
				again: func() bool { return !possible() },
			})
			p.call(func() {
				act()
				m.Unlock()
			})
		}
		n := y.between(1, 4)
		each := y.between(1, 4)
		for range n {
			producer, consumer := y.add(), y.add()
			for range each {
				producer.pause()
				act(producer, notFull, func() bool { return len(buffer) < room }, func() {
					put++
					buffer = append(buffer, put)
					tell(notEmpty)
				})
				consumer.pause()
				act(consumer, notEmpty, func() bool { return len(buffer) > 0 }, func() {
					if taken++; buffer[0] != taken {
						y.s.Errorf("took %d, want %d", buffer[0], taken)
					}
					buffer = buffer[1:]
					tell(notFull)
				})
			}
		}
		y.enact()
		if taken != n*each {
			y.s.Errorf("%d of %d taken", taken, n*each)
		}
	})
}

// Those who wait for a counter, an event or a function wait for as long as they have
// to, and no longer.
func TestSimWaitGroup(t *testing.T) {
	simulate(t, func(y *play) {
		var g rt.WaitGroup
		var e rt.Event
		var once rt.Once
		var mu sync.Mutex
		pending, set, calls, called := 0, false, 0, false
		n := y.between(1, 5)
		pending = n
		g.Add(n)
		setter := y.s.Rand().IntN(n)
		for i := range n {
			p := y.add()
			p.pause()
			p.pause()
			if i == setter {
				p.call(func() { mu.Lock(); set = true; mu.Unlock(); e.Set() })
				p.pause()
			}
			p.call(func() { mu.Lock(); pending--; mu.Unlock(); g.Done() })
		}
		for range y.between(1, 6) {
			p := y.add()
			for range y.between(1, 3) {
				p.pause()
				switch y.s.Rand().IntN(3) {
				case 0:
					p.attempt(func() rt.Canceler { return g.WaitAsync() }, g.Wait, func(ok bool) {
						mu.Lock()
						defer mu.Unlock()
						if ok && pending > 0 {
							y.s.Errorf("%d are not done", pending)
						}
					})
				case 1:
					p.attempt(func() rt.Canceler { return e.WaitAsync() }, e.Wait, func(ok bool) {
						mu.Lock()
						defer mu.Unlock()
						if ok && !set {
							y.s.Error("the event has not happened")
						}
					})
				case 2:
					d := time.Duration(y.between(0, 5)) * time.Millisecond
					f := func() {
						mu.Lock()
						calls++
						mu.Unlock()
						rt.Sleep(d)
						mu.Lock()
						called = true
						mu.Unlock()
					}
					p.attempt(func() rt.Canceler { return once.DoAsync(f) }, func() { once.Do(f) }, func(ok bool) {
						mu.Lock()
						defer mu.Unlock()
						if calls > 1 || ok && !called {
							y.s.Errorf("%d calls, ended: %v", calls, called)
						}
					})
				}
			}
		}
		y.enact()
	})
}
