//go:build linux

package uring

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// These tests look inside the driver, or at what only a ring does. What every
// driver must do is in TestConformance.

// owner counts the ends of operations.
type owner struct{ ended int }

func (o *owner) Complete(*driver.Op) { o.ended++ }

func onDrivers(t *testing.T, f func(t *testing.T, d *Driver)) {
	lock(t)
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			lock(t)
			d := openDriver(t, c.cfg)
			f(t, d)
			if err := d.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if d.InFlight() != 0 {
				t.Errorf("%d in flight after Close", d.InFlight())
			}
		})
	}
}

// until takes turns until cond holds.
func until(t *testing.T, d *Driver, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); {
		if !time.Now().Before(deadline) {
			t.Fatal("nothing happens any more")
		}
		d.Wait(time.Until(deadline))
	}
}

// TestDriverLimitsWorkers checks that a driver's requests that block do not get a thread
// of the kernel's each.
func TestDriverLimitsWorkers(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		_, unbounded, err := d.ring.LimitWorkers(0, 0)
		unlessUnsupported(t, err)
		if unbounded != blocking.DefaultLimit {
			t.Errorf("%d threads", unbounded)
		}
	})
}

// TestManyInFlight has many times more operations in flight than the queues
// have room for, all of them ending at once.
func TestManyInFlight(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		const n = 12000
		a, b := socketpair(t)
		var o owner
		ops := make([]driver.Op, n)
		for i := range ops {
			ops[i] = driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: a}, Buf: make([]byte, 1), Owner: &o}
			d.Submit(&ops[i])
		}
		d.Poll()
		if d.InFlight() != n {
			t.Fatalf("%d in flight", d.InFlight())
		}
		if _, err := unix.Write(int(b), make([]byte, n/2)); err != nil {
			t.Fatal(err)
		}
		until(t, d, func() bool { return o.ended == n/2 })
		for i := range ops {
			d.Cancel(&ops[i])
		}
		until(t, d, func() bool { return o.ended == n })
		got := map[int32]int{}
		for i := range ops {
			got[ops[i].Res]++
		}
		if got[1] != n/2 || got[-int32(unix.ECANCELED)] != n/2 {
			t.Errorf("results %v", got)
		}
		if c := d.Counters(); c.Submitted != n || c.Completed != n || c.Cancelled != n/2 {
			t.Errorf("%+v", c)
		}
	})
}

// TestSlotsAreReused checks that the table does not grow with the number of
// operations, only with how many are in flight together.
func TestSlotsAreReused(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		var o owner
		ops := make([]driver.Op, 100)
		for range 100 {
			for i := range ops {
				ops[i] = driver.Op{Owner: &o}
				d.Submit(&ops[i])
			}
			want := o.ended + len(ops)
			until(t, d, func() bool { return o.ended == want })
		}
		if len(d.slots.chunks) != 1 {
			t.Errorf("%d chunks", len(d.slots.chunks))
		}
	})
}

func TestSlotTable(t *testing.T) {
	var s slotTable
	const n = 3*slotChunkSize + 1
	ops := make([]driver.Op, n)
	keys := make([]key, n)
	for i := range ops {
		ops[i].Slot = s.take(&ops[i])
		keys[i] = s.key(ops[i].Slot)
	}
	for i := range ops {
		if s.lookup(keys[i]) != &ops[i] || s.lookup(keys[i]|kindCancel) != &ops[i] {
			t.Fatalf("operation %d is not found", i)
		}
	}
	for i := 0; i < n; i += 2 {
		s.release(ops[i].Slot)
	}
	for i := range ops {
		if found := s.lookup(keys[i]) != nil; found != (i%2 == 1) {
			t.Fatalf("operation %d found: %v", i, found)
		}
	}
	// The freed slots are used again, under other keys.
	for i := 0; i < n; i += 2 {
		ops[i].Slot = s.take(&ops[i])
		if k := s.key(ops[i].Slot); s.lookup(k) != &ops[i] {
			t.Fatalf("operation %d is not found again", i)
		}
	}
	for i := 0; i < n; i += 2 {
		if s.lookup(keys[i]) != nil {
			t.Fatalf("the old key of operation %d is still good", i)
		}
	}
	if len(s.chunks) != 4 {
		t.Errorf("%d chunks", len(s.chunks))
	}
	count := 0
	s.each(func(*driver.Op) { count++ })
	if count != n {
		t.Errorf("each saw %d of %d", count, n)
	}
	if s.lookup(key(n*1000)) != nil {
		t.Error("a slot that does not exist was found")
	}
	s.at(0).gen = genMask
	s.release(0)
	if s.at(0).gen != 0 {
		t.Error("the generation does not wrap")
	}
}

// queued returns the entry of the operation that was submitted last, before the
// kernel sees it.
func queued(d *Driver) *SQE { return &d.ring.sqes[(d.ring.tail-1)&d.ring.sqMask] }

// TestWouldBlock makes the kernel refuse to wait (MSG_DONTWAIT), as it does by
// itself in rare cases; the driver has to wait instead.
func TestWouldBlock(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		a, b := socketpair(t)
		var o owner
		recv := func() *driver.Op {
			op := &driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: a}, Buf: make([]byte, 10), Owner: &o}
			d.Submit(op)
			queued(d).OpFlags = unix.MSG_DONTWAIT
			until(t, d, func() bool { return op.State&polling != 0 })
			return op
		}
		op := recv()
		unix.Write(int(b), []byte("late"))
		until(t, d, func() bool { return o.ended == 1 })
		if op.Res != 4 || string(op.Buf[:4]) != "late" {
			t.Errorf("result %d, %q", op.Res, op.Buf)
		}

		op = recv()
		d.Cancel(op)
		until(t, d, func() bool { return o.ended == 2 })
		if op.Res != -int32(unix.ECANCELED) {
			t.Errorf("cancelled: result %d", op.Res)
		}

		// Cancelled between the end of the poll and the second try.
		op = recv()
		d.Cancel(op)
		d.complete(CQE{UserData: uint64(d.slots.key(op.Slot)), Res: unix.POLLIN})
		if op.Res != -int32(unix.ECANCELED) || o.ended != 3 {
			t.Errorf("cancelled late: result %d", op.Res)
		}
		// The request is still the kernel's, which that completion was
		// not; let it end under a slot of its own.
		ghost := &driver.Op{Owner: &owner{}, State: inFlight | cancelling}
		ghost.Slot = d.slots.take(ghost)
		d.slots.at(ghost.Slot).gen = (d.slots.at(ghost.Slot).gen - 1) & genMask
		d.inFlight++
		until(t, d, func() bool { return ghost.State == 0 })

		// A full socket.
		data := make([]byte, 1<<20)
		for {
			if _, err := unix.Write(int(a), data); err != nil {
				break
			}
		}
		op = &driver.Op{Code: driver.Send, FD: driver.FD{Sysfd: a}, Buf: []byte("x"), Owner: &o}
		d.Submit(op)
		queued(d).OpFlags |= unix.MSG_DONTWAIT
		until(t, d, func() bool { return op.State&polling != 0 })
		for {
			if _, err := unix.Read(int(b), data); err != nil {
				break
			}
		}
		until(t, d, func() bool { return o.ended == 4 })
		if op.Res != 1 {
			t.Errorf("send: result %d", op.Res)
		}
	})
}

// TestNonblockingSockets records what the driver relies on for speed, not for
// being right: that the kernel itself waits on a non-blocking socket.
func TestNonblockingSockets(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	e := r.SQE()
	e.PrepRecv(a, make([]byte, 4), 0)
	if err := r.Wait(1, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if n := r.Ready(); n != 0 {
		t.Fatalf("a receive on an idle non-blocking socket ended with %+v", next(t, r))
	}
	unix.Write(int(b), []byte("abc"))
	if c := next(t, r); c.Res != 3 {
		t.Errorf("%+v", c)
	}
}

// TestBacklog puts operations where they go when the kernel takes no entries.
func TestBacklog(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		var o owner
		ops := make([]driver.Op, 20)
		for i := range ops {
			op := &ops[i]
			op.Owner = &o
			d.submitted++
			d.inFlight++
			op.State = inFlight
			op.Slot = d.slots.take(op)
			d.postpone(op)
		}
		last := &driver.Op{Owner: &o}
		d.Submit(last)
		if last.State&inBacklog == 0 {
			t.Error("an operation overtook the backlog")
		}
		d.Cancel(&ops[0])
		d.Cancel(&ops[7])
		d.Cancel(&ops[7])
		until(t, d, func() bool { return o.ended == len(ops)+1 })
		for i := range ops {
			want := int32(0)
			if i == 0 || i == 7 {
				want = -int32(unix.ECANCELED)
			}
			if ops[i].Res != want || ops[i].State != 0 || ops[i].Next != nil {
				t.Errorf("operation %d: %+v", i, ops[i])
			}
		}
	})
}

// TestStubbornRequest has a cancellation fail, as it may while a kernel thread
// has the request, and nothing else that would end it.
func TestStubbornRequest(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		a, _ := socketpair(t)
		var o owner
		op := &driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: a}, Buf: make([]byte, 10), Owner: &o}
		d.Submit(op)
		d.Poll()
		op.State |= cancelling
		d.complete(CQE{UserData: uint64(d.slots.key(op.Slot) | kindCancel), Res: -int32(unix.EALREADY)})
		until(t, d, func() bool { return o.ended == 1 })
		if op.Res != -int32(unix.ECANCELED) {
			t.Errorf("result %d", op.Res)
		}
		if len(d.stubborn) != 0 {
			t.Errorf("still stubborn: %v", d.stubborn)
		}
	})
}

// TestPanickingOwner checks that an owner's panic leaves the other completions
// to the next turn.
func TestPanickingOwner(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		var o owner
		d.Submit(&driver.Op{Owner: &o})
		d.Submit(&driver.Op{Owner: panicker{}})
		d.Submit(&driver.Op{Owner: &o})
		panics := 0
		until(t, d, func() bool {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			d.Poll()
			return d.InFlight() == 0
		})
		if panics != 1 || o.ended != 2 {
			t.Errorf("%d panics, %d ends", panics, o.ended)
		}
	})
}

type panicker struct{}

func (panicker) Complete(*driver.Op) { panic("owner") }

// TestOneSystemCallPerTurn counts: many operations, one enter.
func TestOneSystemCallPerTurn(t *testing.T) {
	lock(t)
	d := openDriver(t, Config{})
	defer d.Close()
	var o owner
	n := int(d.Info().SQEntries)
	for range n {
		d.Submit(&driver.Op{Owner: &o})
	}
	d.Poll()
	if o.ended != n {
		t.Errorf("%d of %d ended", o.ended, n)
	}
	for range 10 {
		d.Poll() // nothing to do, no system call
	}
	if c := d.Counters(); c.Syscalls != 1 || c.Waits != 0 {
		t.Errorf("%+v", c)
	}
}

// TestWakesAreCoalesced counts the system calls of wakers.
func TestWakesAreCoalesced(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		for range 1000 {
			d.Wake()
		}
		d.Wait(-1)
		if c := d.Counters(); c.Wakes != 0 {
			t.Errorf("%d wake-ups sent to a driver that does not sleep", c.Wakes)
		}
		d.Poll()
		var ready, done sync.WaitGroup
		ready.Add(4)
		start := make(chan struct{})
		for range 4 {
			done.Go(func() {
				ready.Done()
				<-start
				for range 1000 {
					d.Wake()
				}
			})
		}
		ready.Wait()
		close(start)
		sleeps := d.Counters().Waits
		finished := make(chan struct{})
		go func() { done.Wait(); close(finished) }()
		for waiting := true; waiting; {
			select {
			case <-finished:
				waiting = false
			default:
				d.Wait(time.Millisecond)
			}
		}
		if c := d.Counters(); c.Wakes > c.Waits-sleeps {
			t.Errorf("%d wake-ups for %d sleeps", c.Wakes, c.Waits-sleeps)
		}
	})
}

// TestWakeAgainstClose closes drivers under wakers.
func TestWakeAgainstClose(t *testing.T) {
	lock(t)
	for _, c := range configs {
		for range 50 {
			d := openDriver(t, c.cfg)
			var wakers sync.WaitGroup
			quit := make(chan struct{})
			for range 3 {
				wakers.Go(func() {
					for {
						select {
						case <-quit:
							return
						default:
							d.Wake()
							runtime.Gosched()
						}
					}
				})
			}
			for range 20 {
				d.Wait(10 * time.Microsecond)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			close(quit)
			wakers.Wait()
		}
	}
}

// TestMovesToAnotherThread lets another thread take the driver over after the
// first has exited, with an operation in flight. The kernel does not carry out
// the requests of a thread that is gone, so the driver has to start it again.
func TestMovesToAnotherThread(t *testing.T) {
	lock(t)
	for _, c := range configs {
		if c.cfg.Defer {
			continue // belongs to one thread for good
		}
		t.Run(c.name, func(t *testing.T) {
			lock(t)
			var d *Driver
			var o owner
			a, b := socketpair(t)
			op := &driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: a}, Buf: make([]byte, 4), Owner: &o}
			onThreadThatExits(t, func() {
				d = openDriver(t, c.cfg)
				d.Submit(op)
				d.Wait(time.Millisecond)
			})
			if d == nil {
				t.Skip("no io_uring")
			}
			unix.Write(int(b), []byte("abc"))
			until(t, d, func() bool { return o.ended == 1 })
			if op.Res != 3 {
				t.Errorf("result %d", op.Res)
			}
			for range 10 {
				woken := make(chan struct{})
				go func() { d.Wake(); close(woken) }()
				d.Wait(patience)
				<-woken
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// onThreadThatExits runs f on another thread and returns when that has exited.
func onThreadThatExits(t *testing.T, f func()) {
	tid := make(chan int)
	stay := make(chan struct{})
	defer close(stay)
	for {
		go func() {
			runtime.LockOSThread() // the thread exits with the goroutine
			if unix.Gettid() == unix.Getpid() {
				// But this is the main thread, which does not. Hold it,
				// so that the next goroutine gets another.
				tid <- 0
				<-stay
				return
			}
			defer func() { tid <- unix.Gettid() }()
			f()
		}()
		id := <-tid
		if id == 0 {
			continue
		}
		for unix.Tgkill(unix.Getpid(), id, 0) == nil {
			time.Sleep(time.Millisecond)
		}
		return
	}
}

func TestClosedDriver(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		op := &driver.Op{Owner: &owner{}}
		if !d.Submit(op) || op.Res != -int32(unix.ECANCELED) {
			t.Errorf("Submit: %+v", op)
		}
		d.Cancel(op)
		d.Wake()
		if d.Poll() != 0 || d.Wait(-1) != 0 {
			t.Error("something was delivered")
		}
	})
}

// TestResubmitWhileClosing has owners that submit again whatever has ended.
func TestResubmitWhileClosing(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		a, _ := socketpair(t)
		for range 10 {
			op := &driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: a}, Buf: make([]byte, 1)}
			op.Owner = again{d}
			d.Submit(op)
		}
		d.Poll()
	})
}

type again struct{ d *Driver }

func (a again) Complete(op *driver.Op) { a.d.Submit(op) }

func TestDriverDoesNotAllocate(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		a, b := socketpair(t)
		var o owner
		fa, fb := driver.FD{Sysfd: a}, driver.FD{Sysfd: b}
		recv := &driver.Op{Code: driver.Recv, FD: fa, Buf: make([]byte, 64), Owner: &o}
		send := &driver.Op{Code: driver.Send, FD: fb, Buf: make([]byte, 64), Owner: &o}
		gone := &driver.Op{Code: driver.Recv, FD: fb, Buf: make([]byte, 64), Owner: &o}
		if n := testing.AllocsPerRun(100, func() {
			want := o.ended + 3
			d.Submit(recv)
			d.Submit(send)
			d.Submit(gone)
			d.Poll()
			d.Cancel(gone)
			for o.ended < want {
				d.Wait(time.Second)
			}
			d.Wake()
			d.Wait(-1)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func recvOp(fd int32, o driver.Owner) *driver.Op {
	return &driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: fd}, Buf: make([]byte, 8), Owner: o}
}

// testRoundTrips sends n messages through d and receives them.
func testRoundTrips(t *testing.T, d *Driver, n int) {
	t.Helper()
	a, b := socketpair(t)
	var o owner
	for i := range n {
		send := &driver.Op{Code: driver.Send, FD: driver.FD{Sysfd: b}, Buf: []byte{byte(i)}, Owner: &o}
		recv := recvOp(a, &o)
		gone := recvOp(b, &o)
		for _, op := range []*driver.Op{recv, send, gone} {
			d.Submit(op)
		}
		d.Cancel(gone)
		want := o.ended + 3
		until(t, d, func() bool { return o.ended == want })
		if recv.Res != 1 || recv.Buf[0] != byte(i) || send.Res != 1 || gone.Res != canceled {
			t.Fatalf("message %d: results %d, %d, %d", i, recv.Res, send.Res, gone.Res)
		}
	}
}
