package rt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Operations of sockets end with the reason when their code is cancelled, in
// whatever state they are, and lose no byte.
func TestCancelSocketOperations(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		// The first waits for data, the second for its turn, the third begins too late.
		var g Group
		for range 3 {
			g.Go(WithTimeoutAsync(5*time.Millisecond, &failedRead{read: *c.ReadAsync(make([]byte, 1)), t: t, want: context.DeadlineExceeded}))
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		if _, err := WithTimeout(0, c.ReadAsync(make([]byte, 1))).Result(); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		f := WithContext(ctx, c.ReadAsync(make([]byte, 1)))
		if _, err := f.Result(); !errors.Is(err, context.Canceled) || !f.Canceled() {
			t.Error(err)
		}
		if n, err := p.Write([]byte("x")); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := c.Read(make([]byte, 10)); n != 1 || err != nil {
			t.Errorf("after all of that: %d, %v", n, err)
		}
		// A write says how much it has written.
		w := WithTimeout(20*time.Millisecond, c.WriteAsync(make([]byte, 64<<20)))
		n, err := w.Result()
		if n == 0 || !errors.Is(err, context.DeadlineExceeded) || w.Canceled() {
			t.Error(n, err)
		}
		got := 0
		for got < n {
			k, err := p.Read(make([]byte, 1<<20))
			if err != nil {
				t.Fatal(err)
			}
			got += k
		}
		if got != n {
			t.Errorf("%d bytes arrived, %d were written", got, n)
		}
		l := must(Listen("tcp", "127.0.0.1:0"))(t)
		if _, err := WithTimeout(time.Millisecond, l.AcceptAsync()).Result(); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		l.Close()
	})
}

// A failedRead is a frame that reads once and wants an error.
type failedRead struct {
	read ReadFuture
	t    *testing.T
	want error
}

func (f *failedRead) Poll(cx *Context) bool {
	if !f.read.Poll(cx) {
		return false
	}
	if _, err := f.read.Result(); !errors.Is(err, f.want) {
		f.t.Error(err)
	}
	return true
}

// Plain code in a scope is cancelled, too; and what is around a scope cancels it.
func TestCancelPlainCode(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		r.Run(plainly(func() {
			var err error
			WithTimeout(time.Millisecond, WithTimeoutAsync(time.Hour, plainly(func() {
				_, err = c.Read(make([]byte, 1))
				if Canceled() == nil {
					t.Error("Canceled says nothing")
				}
				if err := SleepContext(context.Background(), time.Hour); err != context.DeadlineExceeded {
					t.Error(err)
				}
			})))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if Canceled() != nil {
				t.Error("the scope goes on after its end")
			}
			// A panic leaves no scope behind.
			func() {
				defer func() { recover() }()
				WithTimeout(0, plainly(func() { panic("out of the scope") }))
			}()
			if Canceled() != nil {
				t.Error("the scope goes on after a panic")
			}
		}))
	})
}

// A read and a timeout race: whoever wins, bytes are delivered or stay.
func TestSelectReadOrTimeout(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		const total = 300
		h := r.Go(plainly(func() {
			for i := range total {
				Sleep(time.Duration(i%5) * 20 * time.Microsecond)
				p.Write([]byte{byte(i)})
			}
		}))
		var got []byte
		timeouts := 0
		r.Run(plainly(func() {
			for len(got) < total {
				buf := make([]byte, 1)
				read := c.ReadAsync(buf)
				if i := Select(read, SleepAsync(40*time.Microsecond)); i == 1 {
					timeouts++
				}
				if n, err := read.Result(); !read.Canceled() {
					if err != nil {
						t.Error(err)
						return
					}
					got = append(got, buf[:n]...)
				}
			}
		}))
		h.Wait()
		for i, b := range got {
			if b != byte(i) {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
		t.Logf("%d timeouts", timeouts)
	})
}

// failing returns a future of a function that waits for d and returns err.
type failing struct {
	sleep SleepContextFuture
	err   error
}

func fails(d time.Duration, err error) *failing {
	f := &failing{err: err}
	f.sleep.Init(context.Background(), d)
	return f
}

func (f *failing) Poll(cx *Context) bool { return f.sleep.Poll(cx) }

func (f *failing) Result() error {
	if err := f.sleep.Result(); err != nil {
		return err
	}
	return f.err
}

func TestGroup(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		bad := errors.New("bad")
		in := func(f func()) { // in a task and on a goroutine
			r.Run(plainly(f))
			f()
		}
		in(func() {
			var g Group
			g.Go(fails(time.Hour, nil))
			g.Go(fails(time.Millisecond, bad))
			g.Go(WithTimeoutAsync(time.Hour, fails(time.Hour, nil)))
			g.GoFunc(func() error { return SleepContext(context.Background(), time.Hour) })
			ctx := g.Context()
			if err := g.Wait(); err != bad {
				t.Error(err)
			}
			if ctx.Err() == nil {
				t.Error("the context goes on")
			}
		})
		in(func() {
			var g Group
			for range 10 {
				g.Go(fails(time.Microsecond, nil))
			}
			if err := g.Wait(); err != nil {
				t.Error(err)
			}
		})
		in(func() {
			ctx, cancel := context.WithCancel(context.Background())
			g := NewGroup(ctx)
			g.Go(fails(time.Hour, nil))
			g.GoFunc(func() error { cancel(); return nil })
			if err := g.Wait(); err != context.Canceled {
				t.Error(err)
			}
		})
		// A group is cancelled with the code that waits for it.
		in(func() {
			var g Group
			g.Go(fails(time.Hour, nil))
			f := WithTimeout(time.Millisecond, g.WaitAsync())
			if err := f.Result(); err != context.DeadlineExceeded {
				t.Error(err)
			}
		})
	})
}

func TestGroupLimit(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var running, most atomic.Int64
		r.Run(plainly(func() {
			var g Group
			g.SetLimit(3)
			for range 50 {
				g.GoFunc(func() error {
					for n := running.Add(1); n > most.Load(); {
						most.Store(n)
					}
					Sleep(10 * time.Microsecond)
					running.Add(-1)
					return nil
				})
			}
			if err := g.Wait(); err != nil {
				t.Error(err)
			}
		}))
		if most.Load() > 3 {
			t.Errorf("%d ran at a time", most.Load())
		}
	})
}

// A panic, or Goexit, in one of the futures cancels the others and surfaces.
func TestJoinSurfaces(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, wait := range []func(...Future){
			func(f ...Future) { Join(f...) },
			func(f ...Future) { Race(f...) },
			func(f ...Future) {
				var g Group
				for _, f := range f {
					g.Go(f)
				}
				g.Wait()
			},
		} {
			r.Run(plainly(func() {
				defer func() {
					if v := recover(); v != "member" {
						t.Error(v)
					}
				}()
				wait(fails(time.Hour, nil), plainly(func() { panic("member") }))
				t.Error("no panic")
			}))
			exited := false
			h := r.Go(plainly(func() {
				defer func() { exited = recover() == nil }()
				wait(fails(time.Hour, nil), plainly(runtime.Goexit))
				t.Error("no exit")
			}))
			h.Wait()
			if !exited {
				t.Error("not left by Goexit")
			}
		}
	})
}

func TestJoinAndRace(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		in := func(f func()) {
			r.Run(plainly(f))
			f()
		}
		in(func() {
			var done [8]bool
			var list []Future
			for i := range done {
				list = append(list, plainly(func() {
					Sleep(time.Duration(i) * 10 * time.Microsecond)
					done[i] = true
				}))
			}
			Join(list...)
			if slices.Contains(done[:], false) {
				t.Error(done)
			}
			Join()
		})
		in(func() {
			loser := fails(time.Hour, nil)
			c := NewChan[int](0)
			recv := c.RecvAsync()
			if i := Race(loser, recv, fails(time.Millisecond, nil)); i != 2 {
				t.Errorf("%d won", i)
			}
			if loser.Result() != context.Canceled || !recv.Canceled() {
				t.Error("a loser was not cancelled")
			}
		})
	})
}

func TestTick(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(func() {
			const period = 2 * time.Millisecond
			start := time.Now()
			tick := Tick(period)
			first := tick.Wait()
			if first.Sub(start) < period || time.Now().Before(first) {
				t.Errorf("ticked %v after the start", first.Sub(start))
			}
			if f := WithTimeout(0, tick.WaitAsync()); !f.Canceled() {
				t.Error("not given up")
			}
			// On a busy machine a task may be late by any time.
			second := tick.Wait()
			if d := second.Sub(first); d <= 0 || d%period != 0 {
				t.Errorf("%v between ticks", d)
			}
			Sleep(5 * period)
			late := tick.Wait()
			if d := late.Sub(second); d <= 0 || d%period != 0 {
				t.Errorf("the tick after a pause is %v after the one before", d)
			}
			now := time.Now()
			if next := tick.Wait(); next.Sub(first)%period != 0 || now.Sub(next) >= period {
				t.Errorf("ticks that nobody waited for are not left out: the next is %v old", now.Sub(next))
			}
			e := After(time.Millisecond)
			if i := Select(e.WaitAsync(), SleepAsync(time.Hour)); i != 0 {
				t.Error("no event")
			}
			e.Wait()
		}))
	})
}

func TestOtherWaits(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var once Once
		var calls atomic.Int64
		var g WaitGroup
		var m Mutex
		c := NewCond(&m)
		const waits = 9
		ready, served := 0, 0
		g.Add(waits)
		first := func() {
			Sleep(time.Millisecond)
			calls.Add(1)
		}
		go func() {
			for n := 0; n < waits; {
				m.Lock()
				for ready > 0 {
					ready--
					n++
					c.Signal()
				}
				m.Unlock()
				time.Sleep(time.Microsecond)
			}
		}()
		together(t, r, waits/3, party{
			async: func() Future {
				return steps(
					func() Future { return once.DoAsync(first) },
					func() Future { return m.LockAsync() },
					func() Future { ready++; return c.WaitAsync() },
					after(func() { served++; m.Unlock(); g.Done() }),
					func() Future { return g.WaitAsync() },
				)
			},
			plain: func() {
				once.Do(first)
				m.Lock()
				ready++
				c.Wait()
				served++
				m.Unlock()
				g.Done()
				g.Wait()
			},
		})
		if calls.Load() != 1 || served != waits {
			t.Errorf("%d calls, %d served", calls.Load(), served)
		}
		// Broadcast, and giving up: the lock is held in any case.
		m.Lock()
		f := WithTimeout(time.Millisecond, c.WaitAsync())
		if !f.Canceled() || m.TryLock() {
			t.Error("the wait was not given up with the lock held")
		}
		m.Unlock()
	})
}

// Stacks that are unwound while they wait for a lock do not take it along.
func TestUnwoundWaitLosesNothing(t *testing.T) {
	for _, name := range []string{"uring", "epoll"} {
		r, err := New(Config{Workers: 1, Driver: name})
		if err != nil {
			t.Log(err)
			continue
		}
		var m Mutex
		m.Lock()
		deferred := false
		r.Go(plainly(func() {
			defer func() { deferred = true }()
			m.Lock()
			t.Error("got the lock")
		}))
		waitFor(t, func() bool { return queueLen(&m.p) == 1 })
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		m.Unlock()
		if !deferred || !m.TryLock() {
			t.Error("the lock is lost")
		}
	}
}
