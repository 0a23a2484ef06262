//go:build linux

package rt

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/stackful"
)

// away are ways for a poll to stay away until release is called.
var away = map[string]func(t testing.TB) (stay, release func()){
	"system call": func(t testing.TB) (stay, release func()) {
		var p [2]int
		if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		return func() {
				var b [1]byte
				for {
					if n, err := syscall.Read(p[0], b[:]); n == 1 || err != syscall.EINTR {
						break
					}
				}
				syscall.Close(p[0])
			}, func() {
				syscall.Write(p[1], []byte{1})
				syscall.Close(p[1])
			}
	},
	// As C does, which the Go runtime knows no more of than of a system call.
	"sleeping system call": func(t testing.TB) (stay, release func()) {
		var stop atomic.Bool
		return func() {
			for !stop.Load() {
				nanosleep(1e8)
			}
		}, func() { stop.Store(true) }
	},
	"time.Sleep": func(t testing.TB) (stay, release func()) {
		var stop atomic.Bool
		return func() {
			for !stop.Load() {
				time.Sleep(100 * time.Millisecond)
			}
		}, func() { stop.Store(true) }
	},
	"channel": func(t testing.TB) (stay, release func()) {
		ch := make(chan bool)
		return func() { <-ch }, func() { close(ch) }
	},
	"mutex": func(t testing.TB) (stay, release func()) {
		var mu sync.Mutex
		mu.Lock()
		return mu.Lock, mu.Unlock
	},
	"endless loop": func(t testing.TB) (stay, release func()) {
		var stop atomic.Bool
		return func() {
			for !stop.Load() {
			}
		}, func() { stop.Store(true) }
	},
	"endless loop of calls": func(t testing.TB) (stay, release func()) {
		var stop atomic.Bool
		return func() {
			cx, tm := currentContext(), new(timer)
			for !stop.Load() {
				was := cx.enter()
				cx.worker.startTimer(tm, nanotime()+1e12, func(*timer) {})
				cx.worker.stopTimer(tm)
				cx.exit(was)
			}
		}, func() { stop.Store(true) }
	},
}

func nanosleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}

// A poll that stays away holds nothing up: the test ends it only when everything
// else on the only worker has gone on.
func TestPollsThatStayAway(t *testing.T) {
	Default() // its goroutines are not to be counted
	for _, procs := range []int{0, 1} {
		for name, how := range away {
			t.Run(fmt.Sprintf("%s/GOMAXPROCS=%d", name, procs), func(t *testing.T) {
				if procs != 0 {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				}
				eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
					standIn.Store(r)
					defer standIn.Store(nil)
					stay, release := how(t)
					rounds := 5
					if name == "endless loop of calls" {
						rounds = 1 // the others get a turn only now and then
					}
					testStayingAway(t, r, rounds, stay, release)
				})
			})
		}
	}
}

// exchange sends something to an echo and waits for it.
func exchange(t testing.TB, client *Conn) {
	var b [5]byte
	if _, err := client.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	if _, err := client.ReadFull(b[:]); err != nil || string(b[:]) != "hello" {
		t.Errorf("got %q, %v", b, err)
	}
}

func testStayingAway(t *testing.T, r *Runtime, rounds int, stay, release func()) {
	client, server, err := newConnPair()
	if err != nil {
		t.Fatal(err)
	}
	echo := r.Go(echoAsync(server, 64))
	m := newMailbox(-1)
	seen := make(chan int64)
	box := &echoing{mailbox: m, seen: seen}
	boxed := r.Go(box)
	k := <-m.waker
	// Its stack is suspended on the thread that is going to be away.
	var before atomic.Int64
	old := r.Go(plainly(func() {
		Sleep(time.Millisecond)
		before.Add(1)
	}))
	waitFor(t, func() bool { return r.Stats().Suspensions > 0 || before.Load() > 0 })

	var thread, late int
	var nested Task
	staying := make(chan bool)
	gone := r.Go(plainly(func() {
		thread = syscall.Gettid()
		close(staying)
		stay()
		// Everything can be called as if nothing had happened.
		if syscall.Gettid() != thread {
			t.Error("the poll came back on another thread")
		}
		nested = Go(newSleeper(time.Microsecond))
		k.Wake()
		nested.Wait()
		Yield()
		late = syscall.Gettid()
	}))
	<-staying

	// The operations that the thread had submitted, new ones, timers, wake-ups and
	// new tasks; frames, and stacks on the standby thread.
	client.SetDeadline(time.Now().Add(time.Minute))
	for range rounds {
		exchange(t, client)
		r.Run(newSleeper(time.Microsecond))
		m.send(k)
		<-seen
		r.Run(plainly(func() {
			Sleep(time.Microsecond)
			r.Go(plainly(Yield)).Wait()
		}))
	}
	if gone.Done() {
		t.Error("the poll did not stay away")
	}
	if r.Stats().Workers[0].HandOffs == 0 {
		t.Error("no hand-off was counted")
	}
	release()
	gone.Wait()
	old.Wait()
	if late != thread {
		t.Error("the stack was resumed on another thread")
	}
	if before.Load() != 1 {
		t.Error("a stack on the thread that was away did not go on")
	}
	exchange(t, client)
	box.stop.Store(true)
	k.Wake()
	boxed.Wait()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	echo.Wait()
}

// Stacks that were suspended on a thread that is away are resumed on the one that has
// taken its place, if the engine can do that and the code has not locked its thread.
func TestStacksFollowTheirWorker(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		standIn.Store(r)
		defer standIn.Store(nil)
		const n = 20
		moves := stackful.EngineName() == "exchange"
		var gate WaitGroup
		gate.Add(1)
		wait := func() (moved bool) {
			before := syscall.Gettid()
			gate.Wait()
			return syscall.Gettid() != before
		}
		var suspended []Task
		for range n {
			suspended = append(suspended, r.Go(plainly(func() {
				local := 1
				counter := &local
				if moved := wait(); moved != moves {
					t.Errorf("a stack was taken over: %v, want %v", moved, moves)
				}
				*counter++
				Yield()
				Sleep(time.Microsecond)
				if local != 2 {
					t.Errorf("a local variable is %d, want 2", local)
				}
			})))
		}
		locked := r.Go(plainly(func() {
			if moves { // on the other engine such code must not wait
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			if wait() {
				t.Error("a stack was taken over whose code had locked its thread")
			}
		}))
		waitFor(t, func() bool { return r.Stats().Suspensions == n+1 })
		release, staying := make(chan bool), make(chan bool)
		gone := r.Go(plainly(func() {
			close(staying)
			<-release
			Yield()
		}))
		<-staying
		gate.Done()
		if moves {
			for _, task := range suspended {
				task.Wait()
			}
		}
		for range 10 {
			r.Run(newSleeper(time.Microsecond))
		}
		for _, task := range suspended {
			if task.Done() != moves {
				t.Errorf("a task is done: %v, want %v", task.Done(), moves)
			}
		}
		if locked.Done() || gone.Done() {
			t.Error("a task is done whose thread is away")
		}
		close(release)
		for _, task := range append(suspended, locked, gone) {
			task.Wait()
		}
	})
}

// Two threads of a worker have as many stacks as fit into a turn, and all can run at the
// same time. Whichever is the holder first finds those of the other in the queue, and
// must not do so again when it has the role next.
func TestStacksOfTwoThreads(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		for _, reversed := range []bool{false, true} {
			var gates [2]WaitGroup
			var tasks []Task
			suspend := func(gate *WaitGroup) {
				gate.Add(1)
				before := r.Stats().Suspensions
				for range turnPolls {
					tasks = append(tasks, r.Go(plainly(gate.Wait)))
				}
				waitFor(t, func() bool { return r.Stats().Suspensions == before+turnPolls })
			}
			suspend(&gates[0])
			release, staying := make(chan bool), make(chan bool)
			gone := r.Go(plainly(func() {
				close(staying)
				<-release
			}))
			<-staying
			suspend(&gates[1]) // on another thread
			close(release)
			gone.Wait()
			// All are woken in one turn.
			var busy, woken atomic.Bool
			tasks = append(tasks, r.Go(plainly(func() {
				busy.Store(true)
				for !woken.Load() {
				}
			})))
			for !busy.Load() {
			}
			first, second := &gates[0], &gates[1]
			if reversed {
				first, second = second, first
			}
			first.Done()
			second.Done()
			woken.Store(true)
			for _, task := range tasks {
				task.Wait()
			}
		}
	})
}

// Several polls stay away at the same time, each on a thread of its own, and
// come back in any order. Their tasks are woken meanwhile.
func TestManyPollsStayAway(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		const n = 8
		var left sync.WaitGroup
		release := make([]chan bool, n)
		futures := make([]*absent, n)
		for i := range release {
			release[i] = make(chan bool)
			futures[i] = &absent{until: release[i], waker: make(chan Waker, 1)}
			left.Go(func() { r.Run(futures[i]) })
			k := <-futures[i].waker
			for range 3 {
				k.Wake()
				r.Run(plainly(Yield))
			}
		}
		for _, i := range rand.Perm(n) {
			close(release[i])
			r.Run(newSleeper(time.Microsecond))
		}
		left.Wait()
		if threads := len(r.workers[0].roles.threads); threads != n+1 {
			t.Errorf("%d threads were made, want %d", threads, n+1)
		}
	})
}

// An absent future stays away in its first poll, and finishes in the second, for
// which it is woken during the first.
type absent struct {
	until chan bool
	waker chan Waker
	polls int
	busy  atomic.Bool
}

func (f *absent) Poll(cx *Context) bool {
	if f.busy.Swap(true) {
		panic("polled by two threads")
	}
	defer f.busy.Store(false)
	if f.polls++; f.polls == 2 {
		return true
	}
	f.waker <- cx.Waker()
	<-f.until
	return false
}

// A runtime is closed while a poll is away: those who wait for other tasks are told
// at once, and Close returns when the poll has.
func TestCloseWhilePollIsAway(t *testing.T) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r := newRuntime(t, m.name, 1)
			var unwound atomic.Int64
			suspended := func() {
				defer unwound.Add(1)
				Sleep(time.Hour)
			}
			r.Go(plainly(suspended))
			waitFor(t, func() bool { return r.Stats().Suspensions == 1 })
			release, away := make(chan bool), make(chan bool)
			var started Task
			gone := r.Go(plainly(func() {
				defer unwound.Add(1)
				close(away)
				<-release
				started = Go(newSleeper(time.Hour))
				Sleep(time.Hour)
				t.Error("waited while its runtime was closed")
			}))
			<-away
			waiter := make(chan any)
			go func() {
				v, _ := caught(func() { r.Run(newReceiver[int](nil)) })
				waiter <- v
			}()
			// On the standby thread.
			r.Go(plainly(suspended))
			waitFor(t, func() bool { return r.Stats().Suspensions == 2 })

			closed := make(chan error)
			go func() { closed <- r.Close() }()
			if v := <-waiter; v != ErrClosed {
				t.Errorf("a waiter got %v", v)
			}
			select {
			case <-closed:
				t.Error("Close did not wait for the poll")
			case <-time.After(10 * time.Millisecond):
			}
			close(release)
			if err := <-closed; err != nil {
				t.Error(err)
			}
			if !gone.Done() || !started.Done() || unwound.Load() != 3 {
				t.Errorf("done: %v, %v; %d stacks were unwound", gone.Done(), started.Done(), unwound.Load())
			}
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

// The number of threads is bounded: then a poll that stays away holds up its worker
// until another one comes back.
func TestThreadsOfHandOffAreBounded(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		const most = 3
		defer func(n int64) { maxThreads = n }(maxThreads)
		maxThreads = extraThreads.Load() + most
		release := make([]chan bool, most+1)
		var left sync.WaitGroup
		for i := range release {
			release[i] = make(chan bool)
			begun := make(chan bool)
			left.Go(func() { r.Run(plainly(func() { close(begun); <-release[i] })) })
			<-begun
		}
		next := r.Go(&yielder{})
		time.Sleep(50 * time.Millisecond)
		if next.Done() {
			t.Error("a task ran meanwhile")
		}
		close(release[0])
		next.Wait()
		for _, c := range release[1:] {
			close(c)
		}
		left.Wait()
		if threads := len(r.workers[0].roles.threads); threads != most+1 {
			t.Errorf("%d threads were made, want %d", threads, most+1)
		}
	})
}

// Without hand-off a poll that stays away holds the worker up.
func TestHandOffCanBeSwitchedOff(t *testing.T) {
	r, err := New(Config{Workers: 1, HandOff: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	release := make(chan bool)
	gone := r.Go(plainly(func() { <-release }))
	next := r.Go(&yielder{})
	time.Sleep(50 * time.Millisecond)
	if next.Done() {
		t.Error("a task ran meanwhile")
	}
	close(release)
	gone.Wait()
	next.Wait()
}

// The monitor does not look while all workers sleep.
func TestMonitorRests(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		for range 3 {
			r.Run(newSleeper(time.Microsecond))
			waitFor(t, r.monitor.idle.Load)
		}
	})
}

// Tasks of all kinds stay away at random while others check what they see.
func TestHandOffSoak(t *testing.T) {
	Default()
	d := 3 * time.Second
	if testing.Short() {
		d = 300 * time.Millisecond
	}
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := busyGoroutines()
			r, err := New(Config{Workers: 2, Driver: m.name, HandOff: 200 * time.Microsecond})
			if err != nil {
				t.Skip(err)
			}
			standIn.Store(r)
			defer standIn.Store(nil)
			end := time.Now().Add(d)
			var wg sync.WaitGroup
			dawdle := func(random *rand.Rand) {
				limit := time.Duration(random.IntN(1000)) * time.Microsecond
				switch random.IntN(8) {
				case 0:
					time.Sleep(limit)
				case 1:
					for begin := time.Now(); time.Since(begin) < limit; {
					}
				case 2:
					nanosleep(limit)
				}
			}
			var finished atomic.Int64
			for i := range 4 {
				random := rand.New(rand.NewPCG(uint64(i), 1))
				client, server, err := newConnPair()
				if err != nil {
					t.Fatal(err)
				}
				wg.Go(func() {
					r.Run(plainly(func() {
						b := make([]byte, 64)
						for {
							n, err := server.Read(b)
							if err != nil {
								break
							}
							dawdle(random)
							server.Write(b[:n])
						}
						server.Close()
					}))
				})
				wg.Go(func() {
					random := rand.New(rand.NewPCG(uint64(i), 2))
					r.Run(plainly(func() {
						for n := 0; time.Now().Before(end); n++ {
							dawdle(random)
							word := fmt.Sprint(i, n)
							client.Write([]byte(word))
							b := make([]byte, len(word))
							if _, err := client.ReadFull(b); err != nil || string(b) != word {
								t.Errorf("got %q, %v, want %q", b, err, word)
								break
							}
							var k countdown
							k.n.Store(3)
							r.Run(&counting{left: &k, make: func() { dawdle(random) }})
							Sleep(time.Duration(random.IntN(300)) * time.Microsecond)
							finished.Add(1)
						}
						client.Close()
					}))
				})
			}
			wg.Wait()
			s := r.Stats()
			t.Logf("%d rounds, hand-offs %d and %d", finished.Load(), s.Workers[0].HandOffs, s.Workers[1].HandOffs)
			waitFor(t, func() bool { return r.Stats().Tasks() == 0 })
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			waitFor(t, func() bool { return busyGoroutines() <= before })
		})
	}
}

// A counting frame starts tasks that count down on its worker, and waits for all.
type counting struct {
	left  *countdown
	make  func()
	begun bool
}

func (f *counting) Poll(cx *Context) bool {
	if !f.begun {
		f.begun = true
		f.left.waker = cx.Waker()
		for range f.left.n.Load() {
			Go(&countedFrame{f.left})
		}
		f.make()
		return false
	}
	return f.left.n.Load() == 0
}
