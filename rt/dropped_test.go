package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A future that was never polled has begun nothing.
func TestFuturesNeverPolled(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		l := must(Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		ch, m := NewChan[int](0), new(Mutex)
		r.Run(plainly(func() {
			for range 100 {
				for _, f := range []Future{
					c.ReadAsync(make([]byte, 10)), c.WriteAsync([]byte("never")), c.BorrowAsync(), l.AcceptAsync(),
					SleepAsync(time.Hour), ch.SendAsync(1), ch.RecvAsync(), m.LockAsync(), BlockingAsync(func() { t.Error("called") }),
					WithTimeoutAsync(time.Hour, c.ReadAsync(nil)), SelectAsync(ch.RecvAsync(), SleepAsync(time.Hour)),
				} {
					_ = f
				}
			}
			if !m.TryLock() {
				t.Error("the lock is held")
			}
			Yield()
		}))
		waitFor(t, func() bool {
			s := r.Stats()
			return s.Tasks() == 0 && s.Workers[0].InFlight+s.Workers[0].Timers+s.Workers[1].InFlight+s.Workers[1].Timers == 0
		})
		go p.Write([]byte("all"))
		var b [3]byte
		if n, err := c.ReadFull(b[:]); n != 3 || err != nil {
			t.Error(n, err)
		}
	})
}

// A task that breaks rule 6 of Future and finishes while its read is under way harms
// nobody else: its memory is kept for as long as the driver may write to it, and who
// gets its struct next is polled once too often at most.
func TestFutureDroppedUnderWay(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r := newRuntime(t, m.name, 1)
			standIn.Store(r)
			defer standIn.Store(nil)
			c, p := connPair(t)
			var freed, extra atomic.Int64
			func() {
				buf := new([64]byte)
				runtime.SetFinalizer(buf, func(*[64]byte) { freed.Add(1) })
				r.Run(&dropper{c.ReadAsync(buf[:])})
			}()
			for range 3 {
				runtime.GC()
			}
			if freed.Load() != 0 {
				t.Error("the buffer of a read under way was freed")
			}
			// These get the struct, among others.
			var left sync.WaitGroup
			for range 10 {
				f := &punctualSleep{end: time.Now().Add(20 * time.Millisecond)}
				left.Go(func() {
					r.Run(f)
					extra.Add(int64(f.polls - 2))
				})
			}
			p.Write([]byte("for nobody"))
			left.Wait()
			if extra.Load() > 1 {
				t.Errorf("there were %d spurious polls", extra.Load())
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			standIn.Store(nil)
			c.Close()
			p.Close()
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

// A dropper polls a future once and forgets it.
type dropper struct{ f Future }

func (d *dropper) Poll(cx *Context) bool {
	d.f.Poll(cx)
	return true
}

// A punctualSleep counts its polls.
type punctualSleep struct {
	end   time.Time
	sleep SleepFuture
	polls int
}

func (f *punctualSleep) Poll(cx *Context) bool {
	if f.polls++; f.polls == 1 {
		f.sleep.Init(time.Until(f.end))
	}
	return f.sleep.Poll(cx)
}

// Wakes that come before the next poll are one, from the worker's thread and from others.
func TestWokenTwice(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		f := &pollCounter{waker: make(chan Waker, 1)}
		h := r.Go(f)
		k := <-f.waker
		want := int64(1)
		for range 100 {
			for _, wake := range []func(){
				func() {
					for range 3 {
						k.Wake()
					}
				},
				func() {
					var others sync.WaitGroup
					for range 3 {
						others.Go(k.Wake)
					}
					others.Wait()
				},
			} {
				// The worker cannot poll while it makes this call.
				r.workers[0].exec(wake)
				want++
				waitFor(t, func() bool { return f.polls.Load() == want })
			}
			// A turn later it is still so.
			r.Run(plainly(Yield))
			if n := f.polls.Load(); n != want {
				t.Fatalf("%d polls, want %d", n, want)
			}
		}
		f.stop.Store(true)
		k.Wake()
		h.Wait()
		k.Wake()
	})
}

type pollCounter struct {
	waker chan Waker
	polls atomic.Int64
	stop  atomic.Bool
}

func (f *pollCounter) Poll(cx *Context) bool {
	if f.polls.Add(1) == 1 {
		f.waker <- cx.Waker()
	}
	return f.stop.Load()
}
