package rt

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

// A poller is a future that calls a function with the context of its task.
type poller func(*Context)

func (p poller) Poll(cx *Context) bool { p(cx); return true }

// What waits for something in async form does so in the memory of its future.
func TestSyncDoesNotAllocate(t *testing.T) {
	r := newRuntime(t, "", 1)
	defer r.Close()
	r.Run(poller(func(cx *Context) {
		check := func(name string, f func()) {
			t.Helper()
			if n := testing.AllocsPerRun(200, f); n != 0 {
				t.Errorf("%s: %v allocations, want 0", name, n)
			}
		}
		// granted polls f, which has to wait, and again after it has been given what it
		// waits for.
		granted := func(f Future, give func()) {
			t.Helper()
			cx.budget = taskBudget
			if f.Poll(cx) {
				t.Fatal("there was nothing to wait for")
			}
			give()
			if !f.Poll(cx) {
				t.Fatal("it still waits")
			}
		}

		var m Mutex
		var lock LockFuture
		check("a lock that is free", func() {
			m.Lock()
			m.Unlock() //lint:ignore SA2001 what it allocates is the question
		})
		check("a lock that is taken", func() {
			m.Lock()
			lock.Init(&m)
			granted(&lock, m.Unlock)
			m.Unlock()
		})
		var rw RWMutex
		var read RLockFuture
		var write WLockFuture
		check("a lock that is taken for writing", func() {
			rw.Lock()
			read.Init(&rw)
			granted(&read, rw.Unlock)
			write.Init(&rw)
			granted(&write, rw.RUnlock)
			rw.Unlock()
		})
		s := NewSemaphore(3)
		var acquire AcquireFuture
		check("a semaphore", func() {
			s.Acquire(2)
			acquire.Init(s, 2)
			granted(&acquire, func() { s.Release(2) })
			s.Release(2)
		})
		var e Event
		var event EventFuture
		check("an event", func() {
			event.Init(&e)
			granted(&event, e.Set)
			e.Reset()
		})
		var g WaitGroup
		var wait WaitGroupFuture
		check("a wait group", func() {
			g.Add(1)
			wait.Init(&g)
			granted(&wait, g.Done)
		})
		c := NewChan[int](0)
		var send ChanSendFuture[int]
		var recv ChanRecvFuture[int]
		check("a receive that waits", func() {
			recv.Init(c)
			granted(&recv, func() { c.Send(1) })
		})
		check("a send that waits", func() {
			send.Init(c, 1)
			granted(&send, func() { c.Recv() })
		})
		check("a lock that is given up", func() {
			m.Lock()
			lock.Init(&m)
			cx.budget = taskBudget
			if lock.Poll(cx) {
				t.Fatal("there was nothing to wait for")
			}
			lock.Cancel(cx)
			if !lock.Poll(cx) || !lock.Canceled() {
				t.Fatal("it was not given up")
			}
			m.Unlock()
		})
		cond := NewCond(new(Mutex))
		var signaled CondFuture
		check("a condition", func() {
			cond.L.Lock()
			signaled.Init(cond)
			granted(&signaled, cond.Signal)
			cond.L.Unlock()
		})
		var once Once
		var did OnceFuture
		check("a function that another one calls", func() {
			once.begun.Store(true)
			did.Init(&once, nil)
			granted(&did, once.done.Set)
			once.done.Reset()
		})
		var choice ChoiceFuture
		cases := []Canceler{&recv, &event, &lock}
		check("a select", func() {
			m.Lock()
			recv.Init(c)
			event.Init(&e)
			lock.Init(&m)
			choice.Init(cases...)
			granted(&choice, func() { c.Send(1) })
			if choice.Result() != 0 {
				t.Fatal("it has chosen another one")
			}
			m.Unlock()
		})
		var limit TimeoutFuture[*EventFuture]
		check("a limit on the time", func() {
			event.Init(&e)
			limit.Init(time.Hour, &event)
			granted(&limit, e.Set)
			e.Reset()
		})
		var sleep SleepFuture
		check("a sleep that is given up", func() {
			sleep.Init(time.Hour)
			granted(&sleep, func() { sleep.Cancel(cx) })
		})
		var gm sync.Mutex
		var goLock GoLockFuture[*sync.Mutex]
		check("a lock of package sync that is free", func() {
			cx.budget = taskBudget
			goLock.Init(&gm)
			if !goLock.Poll(cx) {
				t.Fatal("it is taken")
			}
			gm.Unlock()
		})
	}))
}

// BenchmarkSync compares what tasks have with what goroutines have.
func BenchmarkSync(b *testing.B) {
	inTask := func(name string, f func(b *testing.B, cx *Context)) {
		b.Run(name, func(b *testing.B) {
			r := newRuntime(b, "", 1)
			defer r.Close()
			r.Run(poller(func(cx *Context) { f(b, cx) }))
		})
	}
	inTask("free/Mutex", func(b *testing.B, cx *Context) {
		var m Mutex
		for b.Loop() {
			m.Lock()
			m.Unlock() //lint:ignore SA2001 what it costs is the question
		}
	})
	b.Run("free/sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		for b.Loop() {
			m.Lock()
			m.Unlock() //lint:ignore SA2001 what it costs is the question
		}
	})
	// Two that have a lock in turns, each until the other one waits for it.
	b.Run("handed over/Mutex between tasks", func(b *testing.B) {
		r := newRuntime(b, "", 1)
		defer r.Close()
		var m Mutex
		other := r.Go(&owner{m: &m, n: b.N})
		r.Run(&owner{m: &m, n: b.N})
		other.Wait()
	})
	b.Run("handed over/sync.Mutex between goroutines", func(b *testing.B) {
		// Which is not handed over in turns by itself: two of them make it so.
		var turns [2]sync.Mutex
		turns[1].Lock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range b.N {
				turns[1].Lock()
				turns[0].Unlock()
			}
		}()
		for range b.N {
			turns[0].Lock()
			turns[1].Unlock()
		}
		<-done
	})
	inTask("select/two Chans", func(b *testing.B, cx *Context) {
		one, two := NewChan[int](1), NewChan[int](1)
		var recv [2]ChanRecvFuture[int]
		var f ChoiceFuture
		cases := []Canceler{&recv[0], &recv[1]}
		for b.Loop() {
			cx.budget = taskBudget
			two.TrySend(1)
			recv[0].Init(one)
			recv[1].Init(two)
			f.Init(cases...)
			f.Poll(cx)
		}
	})
	b.Run("select/two chans", func(b *testing.B) {
		one, two := make(chan int, 1), make(chan int, 1)
		for b.Loop() {
			two <- 1
			select {
			case <-one:
			case <-two:
			}
		}
	})
	inTask("limit/WithTimeout", func(b *testing.B, cx *Context) {
		var e Event
		e.Set()
		var wait EventFuture
		var f TimeoutFuture[*EventFuture]
		for b.Loop() {
			cx.budget = taskBudget
			wait.Init(&e)
			f.Init(time.Hour, &wait)
			f.Poll(cx)
		}
	})
	b.Run("limit/context.WithTimeout", func(b *testing.B) {
		ready := make(chan struct{})
		close(ready)
		for b.Loop() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			select {
			case <-ready:
			case <-ctx.Done():
			}
			cancel()
		}
	})
	b.Run("eight/Group of tasks", func(b *testing.B) {
		r := newRuntime(b, "", 1)
		defer r.Close()
		r.Run(&plainTask{func() {
			for b.Loop() {
				var g Group
				for range 8 {
					g.Go(YieldAsync())
				}
				g.Wait()
			}
		}})
	})
	b.Run("eight/WaitGroup of goroutines", func(b *testing.B) {
		for b.Loop() {
			var g sync.WaitGroup
			for range 8 {
				g.Go(runtime.Gosched)
			}
			g.Wait()
		}
	})
	// To and fro between two, over unbuffered channels.
	b.Run("round trip/Chan between tasks", func(b *testing.B) {
		r := newRuntime(b, "", 1)
		defer r.Close()
		to, fro := NewChan[int](0), NewChan[int](0)
		echo := r.Go(&player{in: to, out: fro, n: 2 * b.N})
		r.Run(&player{in: fro, out: to, n: 2 * b.N, serves: true})
		echo.Wait()
	})
	b.Run("round trip/chan between goroutines", func(b *testing.B) {
		to, fro := make(chan int), make(chan int)
		go func() {
			for range to {
				fro <- 1
			}
		}()
		defer close(to)
		for b.Loop() {
			to <- 1
			<-fro
		}
	})
}

// An owner has a lock n times, as a frame would, and lets others run meanwhile.
type owner struct {
	m     *Mutex
	n     int
	lock  LockFuture
	state int
}

func (o *owner) Poll(cx *Context) bool {
	for {
		switch o.state {
		case 0:
			if o.n == 0 {
				return true
			}
			o.n--
			o.lock.Init(o.m)
			o.state = 1
			fallthrough
		case 1:
			if !o.lock.Poll(cx) {
				return false
			}
			o.state = 2
			cx.Wake()
			return false
		case 2:
			o.m.Unlock()
			o.state = 0
		}
	}
}

// A player sends and receives in turns, as a frame would.
type player struct {
	in, out *Chan[int]
	n       int  // operations to do
	serves  bool // it begins
	waits   bool // in recv or send
	recv    ChanRecvFuture[int]
	send    ChanSendFuture[int]
}

func (p *player) Poll(cx *Context) bool {
	for p.n > 0 {
		if p.serves {
			if !p.waits {
				p.send.Init(p.out, 1)
			}
			if p.waits = !p.send.Poll(cx); p.waits {
				return false
			}
		} else {
			if !p.waits {
				p.recv.Init(p.in)
			}
			if p.waits = !p.recv.Poll(cx); p.waits {
				return false
			}
		}
		p.n--
		p.serves = !p.serves
	}
	return true
}
