package rttest_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// A value that is sent tells who sent it, and which of his it is.
type parcel struct{ from, n int }

// A chanModel is what is known about a channel.
type chanModel struct {
	c        *rt.Chan[parcel]
	sent     map[parcel]bool // those whose sender knows that they have been
	received map[parcel]bool
	latest   map[[2]int]int // the last number that a receiver has from a sender
	closed   bool
	// senders and receivers are how many have begun to and do not know that they have.
	senders, receivers int
}

// What is sent over channels is received once, in order, by whoever it is and in whichever
// form, by Select too; what was given up is neither sent nor received.
func TestSimChan(t *testing.T) {
	simulate(t, func(y *play) {
		var mu sync.Mutex // guards the models
		var models []*chanModel
		for range y.between(1, 3) {
			models = append(models, &chanModel{
				c:        rt.NewChan[parcel](y.between(0, 3)),
				sent:     make(map[parcel]bool),
				received: make(map[parcel]bool),
				latest:   make(map[[2]int]int),
			})
		}
		closes := y.odds(1)
		numbers := 0
		next := func(who int) parcel {
			mu.Lock()
			defer mu.Unlock()
			numbers++
			return parcel{who, numbers}
		}
		sent := func(m *chanModel, v parcel, ok bool) {
			mu.Lock()
			defer mu.Unlock()
			if ok {
				m.sent[v] = true
			} else if m.received[v] {
				y.s.Errorf("%v was given up, and received", v)
			}
		}
		got := func(who int, m *chanModel, v parcel, ok bool) {
			mu.Lock()
			defer mu.Unlock()
			if !ok {
				if !m.closed {
					y.s.Error("the end of a channel that is open")
				}
				return
			}
			if m.received[v] {
				y.s.Errorf("%v was received twice", v)
			}
			m.received[v] = true
			key := [2]int{who, v.from}
			if m.latest[key] >= v.n {
				y.s.Errorf("%v was received after %d", v, m.latest[key])
			}
			m.latest[key] = v.n
		}
		// waits notes that somebody begins to wait for m, and another one that he knows the end.
		waits := func(m *chanModel, sends bool, n int) {
			mu.Lock()
			defer mu.Unlock()
			if sends {
				m.senders += n
			} else {
				m.receivers += n
			}
		}
		senders := y.between(1, 4)
		left := senders
		for who := range senders + y.between(1, 4) {
			p := y.add()
			sends := who < senders
			for range y.between(1, 8) {
				p.pause()
				m := models[y.s.Rand().IntN(len(models))]
				if sends && y.odds(1) || !sends && y.odds(3) {
					// Some of all, sending and receiving, with a limit on the time.
					var cases []rt.Canceler
					var which []*chanModel
					var values []parcel
					limit := y.odds(1)
					d := time.Duration(y.between(0, 5)) * time.Millisecond
					var begun time.Time
					order := y.s.Rand().Perm(len(models)) // not drawn by goroutines
					sleeps, sleep := y.odds(1), time.Duration(y.between(1, 5))*time.Millisecond
					p.wait(func() rt.Future {
						begun = time.Now()
						for _, i := range order {
							m := models[i]
							which = append(which, m)
							waits(m, sends, 1)
							v := next(who)
							values = append(values, v)
							if sends {
								cases = append(cases, m.c.SendAsync(v))
							} else {
								cases = append(cases, m.c.RecvAsync())
							}
						}
						if sleeps {
							cases = append(cases, rt.SleepAsync(sleep))
						}
						f := rt.SelectAsync(cases...)
						if limit {
							return rt.WithTimeoutAsync(d, f)
						}
						return f
					}, func() {
						if t := time.Since(begun); limit && t > d {
							y.s.Errorf("a select with a limit of %v took %v", d, t)
						}
						done := 0
						for i, m := range which {
							waits(m, sends, -1)
							ok := !cases[i].Canceled()
							if ok {
								done++
							}
							if sends {
								sent(m, values[i], ok)
							} else if ok {
								v, open := cases[i].(*rt.ChanRecvFuture[parcel]).Result()
								got(who, m, v, open)
							}
						}
						if done > 1 {
							y.s.Errorf("%d operations of one select", done)
						}
					})
					continue
				}
				if sends {
					var v parcel
					if y.odds(4) {
						p.call(func() { v = next(who); sent(m, v, m.c.TrySend(v)) })
						continue
					}
					p.attempt(func() rt.Canceler { v = next(who); waits(m, true, 1); return m.c.SendAsync(v) },
						func() { v = next(who); waits(m, true, 1); m.c.Send(v) },
						func(ok bool) { waits(m, true, -1); sent(m, v, ok) })
					continue
				}
				var v parcel
				var open bool
				if y.odds(4) {
					p.call(func() {
						if v, open, done := m.c.TryRecv(); done {
							got(who, m, v, open)
						}
					})
					continue
				}
				var f *rt.ChanRecvFuture[parcel]
				p.attempt(func() rt.Canceler { f = m.c.RecvAsync(); waits(m, false, 1); return f },
					func() { f = nil; waits(m, false, 1); v, open = m.c.Recv() },
					func(ok bool) {
						waits(m, false, -1)
						if f != nil {
							v, open = f.Result()
						}
						if ok {
							got(who, m, v, open)
						}
					})
			}
			if sends {
				p.call(func() {
					mu.Lock()
					left--
					last := left == 0 && closes
					if last {
						for _, m := range models {
							m.closed = true
						}
					}
					mu.Unlock()
					if last {
						for _, m := range models {
							m.c.Close()
						}
					}
				})
			}
		}
		// Nobody waits for ever: what is too much for the others is taken, and what they lack
		// is sent, unless the channels are closed.
		ended := false
		var drained rt.WaitGroup
		for i, m := range models {
			drained.Add(1)
			start(func() {
				defer drained.Done()
				rt.Sleep(100*time.Millisecond + time.Millisecond/2)
				for n := 1; !ended || m.c.Len() > 0; n++ {
					if v, open, done := m.c.TryRecv(); done {
						got(1000+i, m, v, open)
						if !open {
							break
						}
					} else if !m.closed {
						if v := (parcel{1000 + i, 1_000_000 + n}); m.c.TrySend(v) {
							sent(m, v, true)
						}
					}
					rt.Sleep(time.Millisecond)
				}
			})
		}
		// Everything happens at whole milliseconds, so between them nobody waits for what is
		// there.
		start(func() {
			rt.Sleep(time.Millisecond / 4)
			for ; !ended; rt.Sleep(time.Millisecond) {
				mu.Lock()
				for _, m := range models {
					n := m.c.Len()
					if m.senders > 0 && m.receivers > 0 || m.receivers > 0 && n > 0 || m.senders > 0 && n < m.c.Cap() || m.closed && m.receivers > 0 {
						y.s.Errorf("%d wait to send and %d to receive; %d of %d in the buffer, closed: %v", m.senders, m.receivers, n, m.c.Cap(), m.closed)
					}
				}
				mu.Unlock()
			}
		})
		y.enact()
		ended = true
		drained.Wait()
		for _, m := range models {
			for v := range m.sent {
				if !m.received[v] {
					y.s.Errorf("%v was sent, and not received", v)
				}
			}
			for v := range m.received {
				if !m.sent[v] {
					y.s.Errorf("%v was received, and not sent", v)
				}
			}
		}
	})
}

// Operations on a channel that is closed panic, or end, also those that wait when
// it is closed.
func TestSimClose(t *testing.T) {
	simulate(t, func(y *play) {
		c := rt.NewChan[int](y.between(0, 2))
		var mu sync.Mutex
		sent, panics, ends, got := 0, 0, 0, 0
		n := y.between(1, 6)
		for i := range n {
			p := y.add()
			p.pause()
			if y.odds(1) {
				p.do(step{
					plain: func() {
						defer func() {
							mu.Lock()
							defer mu.Unlock()
							if v := recover(); v != nil {
								panics++
							} else {
								sent++
							}
						}()
						c.Send(i)
					},
					await: func() rt.Future {
						return &catch{f: c.SendAsync(i), panicked: func(v bool) {
							mu.Lock()
							defer mu.Unlock()
							if v {
								panics++
							} else {
								sent++
							}
						}}
					},
				})
				continue
			}
			var f *rt.ChanRecvFuture[int]
			var open bool
			p.do(step{
				await: func() rt.Future { f = c.RecvAsync(); return f },
				plain: func() { f = nil; _, open = c.Recv() },
				then: func() {
					if f != nil {
						_, open = f.Result()
					}
					mu.Lock()
					defer mu.Unlock()
					if open {
						got++
					} else {
						ends++
					}
				},
			})
		}
		d := time.Duration(y.between(0, 6)) * time.Millisecond
		start(func() { rt.Sleep(d); c.Close() })
		y.enact()
		if sent+panics+got+ends != n || got > sent || sent-got != c.Len() {
			y.s.Errorf("%d sent, %d panics, %d received, %d ends, of %d; %d in the buffer", sent, panics, got, ends, n, c.Len())
		}
	})
}

// A catch polls a future that may panic.
type catch struct {
	f        rt.Future
	panicked func(bool)
}

func (c *catch) Poll(cx *rt.Context) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(true)
			done = true
		}
	}()
	if done = c.f.Poll(cx); done {
		c.panicked(false)
	}
	return done
}

// Values that tasks send each other through Go's own channels arrive likewise.
func TestSimNativeChan(t *testing.T) {
	simulate(t, func(y *play) {
		y.goroutines = true
		c := make(chan int, y.between(0, 2))
		var mu sync.Mutex
		var received []int
		n := y.between(1, 5)
		for i := range n {
			sender, receiver := y.add(), y.add()
			sender.pause()
			sender.do(step{await: func() rt.Future { return rt.SendAsync(c, i) }})
			receiver.pause()
			var f *rt.RecvFuture[int]
			receiver.wait(func() rt.Future { f = rt.RecvAsync(c); return f }, func() {
				v, ok := f.Result()
				mu.Lock()
				defer mu.Unlock()
				if received = append(received, v); !ok {
					y.s.Error("the channel is not closed")
				}
			})
		}
		y.enact()
		slices.Sort(received)
		for i, v := range received {
			if i != v {
				y.s.Fatalf("received %v", received)
			}
		}
	})
}
