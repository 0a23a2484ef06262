package rt

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

const syncRounds = 2000

func TestMutexExcludes(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var m Mutex
		n := 0
		inside := func() {
			n++
			if m.TryLock() {
				t.Error("locked twice")
			}
		}
		together(t, r, 3, party{
			async: func() Future {
				return loop(syncRounds, func() *script {
					return steps(
						func() Future { return m.LockAsync() },
						after(inside),
						func() Future { return YieldAsync() },
						after(m.Unlock),
					)
				})
			},
			plain: func() {
				for range syncRounds {
					m.Lock()
					inside()
					m.Unlock()
				}
			},
		})
		if n != 9*syncRounds || m.p.word.Load() != 0 {
			t.Errorf("%d rounds, want %d; word %d", n, 9*syncRounds, m.p.word.Load())
		}
	})
}

// Who came first gets the lock first, and nobody passes.
func TestMutexFair(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		var m Mutex
		var order []int
		m.Lock()
		var tasks []Task
		for i := range 20 {
			f := steps(
				func() Future { return m.LockAsync() },
				after(func() { order = append(order, i) }),
				after(m.Unlock),
			)
			tasks = append(tasks, r.Go(f))
			waitFor(t, func() bool { return queueLen(&m.p) == i+1 })
			if m.TryLock() {
				t.Error("TryLock passed the queue")
			}
		}
		m.Unlock()
		for _, h := range tasks {
			h.Wait()
		}
		if !slices.IsSorted(order) || len(order) != 20 {
			t.Errorf("order %v", order)
		}
	})
}

func queueLen(p *permits) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for e := p.queue.head; e != nil; e = e.next {
		n++
	}
	return n
}

func TestMutexMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"unlock":            func() { new(Mutex).Unlock() },
		"rw unlock":         func() { new(RWMutex).Unlock() },
		"runlock":           func() { new(RWMutex).RUnlock() },
		"runlock of writer": func() { var m RWMutex; m.Lock(); m.RUnlock() },
		"unlock of reader":  func() { var m RWMutex; m.RLock(); m.Unlock() },
		"release":           func() { NewSemaphore(1).Release(1) },
		"acquire":           func() { NewSemaphore(1).Acquire(2) },
		"negative":          func() { NewSemaphore(1).Acquire(-1) },
		"wait group":        func() { new(WaitGroup).Done() },
		"close":             func() { c := NewChan[int](0); c.Close(); c.Close() },
		"send":              func() { c := NewChan[int](0); c.Close(); c.Send(1) },
		"try send":          func() { c := NewChan[int](0); c.Close(); c.TrySend(1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Timeouts hit waits for a lock at any moment, and the lock is neither lost nor had
// by two.
func TestLockTimeouts(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var m Mutex
		var got, missed atomic.Int64
		inside := 0
		together(t, r, 4, party{
			async: func() Future {
				i := 0
				return loop(syncRounds/4, func() *script {
					i++
					f := m.LockAsync()
					return steps(
						func() Future { return WithTimeoutAsync(time.Duration(i%7)*time.Microsecond, f) },
						func() Future {
							if f.Canceled() {
								missed.Add(1)
								return nil
							}
							got.Add(1)
							inside++
							if inside != 1 {
								t.Error("two have the lock")
							}
							return SleepAsync(time.Microsecond)
						},
						after(func() {
							if !f.Canceled() {
								inside--
								m.Unlock()
							}
						}),
					)
				})
			},
			plain: func() {
				for i := range syncRounds / 4 {
					if f := WithTimeout(time.Duration(i%7)*time.Microsecond, m.LockAsync()); f.Canceled() {
						missed.Add(1)
						continue
					}
					got.Add(1)
					inside++
					if inside != 1 {
						t.Error("two have the lock")
					}
					inside--
					m.Unlock()
				}
			},
		})
		if m.p.word.Load() != 0 || queueLen(&m.p) != 0 {
			t.Errorf("word %d at the end", m.p.word.Load())
		}
		t.Logf("%d got the lock, %d did not", got.Load(), missed.Load())
	})
}

func TestRWMutexExcludes(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var m RWMutex
		var readers atomic.Int64
		n := 0
		write := func() {
			if n++; readers.Load() != 0 {
				t.Error("readers while writing")
			}
		}
		read := func() int {
			readers.Add(1)
			return n
		}
		together(t, r, 2, party{
			async: func() Future {
				var seen int
				return loop(syncRounds, func() *script {
					return steps(
						func() Future { return m.RLockAsync() },
						after(func() { seen = read() }),
						func() Future { return YieldAsync() },
						after(func() {
							if n != seen {
								t.Error("written while reading")
							}
							readers.Add(-1)
							m.RUnlock()
						}),
						func() Future { return m.LockAsync() },
						after(write),
						after(m.Unlock),
					)
				})
			},
			plain: func() {
				for range syncRounds {
					m.Lock()
					write()
					m.Unlock()
					m.RLock()
					read()
					readers.Add(-1)
					m.RUnlock()
				}
			},
		})
		if n != 6*syncRounds || m.p.word.Load() != 0 {
			t.Errorf("%d rounds; word %d", n, m.p.word.Load())
		}
	})
}

// A writer that waits keeps readers out, until it is given up.
func TestRWMutexWriterGivenUp(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var m RWMutex
		m.RLock()
		writer := WithTimeoutAsync(20*time.Millisecond, m.LockAsync())
		h := r.Go(writer)
		waitFor(t, func() bool { return queueLen(&m.p) == 1 })
		if m.TryRLock() {
			t.Error("a reader passed the writer")
		}
		m.RLock() // when the writer has gone
		h.Wait()
		if !writer.Result().Canceled() {
			t.Error("the writer got the lock")
		}
		m.RUnlock()
		m.RUnlock()
	})
}

func TestSemaphore(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		s := NewSemaphore(10)
		var taken atomic.Int64
		take := func(n int64) {
			if taken.Add(n) > 10 {
				t.Error("more taken than there are")
			}
		}
		together(t, r, 3, party{
			async: func() Future {
				n := int64(0)
				return loop(syncRounds, func() *script {
					n = n%10 + 1
					return steps(
						func() Future { return s.AcquireAsync(n) },
						after(func() { take(n) }),
						func() Future { return YieldAsync() },
						after(func() { taken.Add(-n); s.Release(n) }),
					)
				})
			},
			plain: func() {
				for i := range int64(syncRounds) {
					n := i % 11
					s.Acquire(n)
					take(n)
					taken.Add(-n)
					s.Release(n)
				}
			},
		})
		if s.p.word.Load() != 0 {
			t.Errorf("word %d", s.p.word.Load())
		}
	})
}
