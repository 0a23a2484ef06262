//go:build linux

package uring

import (
	"errors"
	"io/fs"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openRing makes a ring that is closed after the test, and skips the test where
// io_uring cannot be used.
func openRing(t testing.TB, cfg Config) *Ring {
	t.Helper()
	r, err := New(cfg)
	skipUnavailable(t, err)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return r
}

// openDriver makes a driver; the caller closes it.
func openDriver(t testing.TB, cfg Config) *Driver {
	t.Helper()
	d, err := NewDriver(cfg)
	skipUnavailable(t, err)
	return d
}

func skipUnavailable(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENOMEM) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lock keeps the test on its thread, which the ring belongs to.
func lock(t testing.TB) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// next returns the next completion, which must come within patience.
func next(t testing.TB, r *Ring) CQE {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		var c [1]CQE
		if r.Reap(c[:]) == 1 {
			return c[0]
		}
		if err := r.Wait(1, time.Until(deadline)); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no completion")
	panic("unreachable")
}

const patience = 30 * time.Second

// nops runs n nops through r, at most batch at a time between waits, and checks
// that each completes once.
func nops(t *testing.T, r *Ring, n, batch int) {
	t.Helper()
	seen := make([]bool, n)
	var cqes [32]CQE
	for queued, done := 0, 0; done < n; {
		for i := 0; i < batch && queued < n; i++ {
			e := r.SQE()
			if e == nil {
				if err := r.Submit(); err != nil && err != unix.EBUSY {
					t.Fatal(err)
				}
				if e = r.SQE(); e == nil {
					break
				}
			}
			e.PrepNop()
			e.UserData = uint64(queued)
			queued++
		}
		if err := r.Wait(1, patience); err != nil && err != unix.EBUSY {
			t.Fatal(err)
		}
		for {
			k := r.Reap(cqes[:])
			if k == 0 {
				break
			}
			for _, c := range cqes[:k] {
				if c.Res != 0 || seen[c.UserData] {
					t.Fatalf("completion %+v, seen %v", c, seen[c.UserData])
				}
				seen[c.UserData] = true
			}
			done += k
		}
	}
	// A resized ring says TASKRUN until there has been some.
	if f := *r.flags; r.Ready() != 0 || r.Pending() != 0 || f&sqCQOverflow != 0 {
		t.Errorf("left over: ready %d, pending %d, flags %#x", r.Ready(), r.Pending(), f)
	}
}

func TestNopStorm(t *testing.T) {
	lock(t)
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			lock(t)
			for _, batch := range []int{1, 7, 1024, 5000} {
				nops(t, openRing(t, c.cfg), 20000, batch)
			}
		})
	}
}

// TestOverflow lets far more completions arrive than the queue holds before
// reaping any.
func TestOverflow(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQEntries: 8, CQEntries: 8})
	const n = 1000
	for i := range n {
		e := r.SQE()
		for e == nil {
			if err := r.Submit(); err != nil {
				t.Fatalf("after %d: %v", i, err)
			}
			e = r.SQE()
		}
		e.PrepNop()
		e.UserData = uint64(i)
	}
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	if !r.NeedsEnter() {
		t.Error("the overflow is not seen")
	}
	for i := range n {
		if c := next(t, r); c.UserData != uint64(i) {
			t.Fatalf("completion %d is %+v", i, c)
		}
	}
}

func TestEntriesAreClean(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQEntries: 4})
	for range 4 {
		e := r.SQE()
		*e = SQE{Opcode: OpNop, BufIndex: 9, Personality: 0, Addr: 77, Addr3: 78, UserData: 5}
		next(t, r)
	}
	for range 4 {
		if e := r.SQE(); *e != (SQE{}) {
			t.Errorf("stale entry %+v", *e)
		}
	}
	if r.entry() != nil {
		t.Error("more entries than the queue has")
	}
}

func TestBadEntryDoesNotStopOthers(t *testing.T) {
	lock(t)
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			lock(t)
			r := openRing(t, c.cfg)
			e := r.SQE()
			e.Opcode, e.UserData = 250, 1
			e = r.SQE()
			e.PrepNop()
			e.UserData = 2
			got := map[uint64]int32{}
			for range 2 {
				c := next(t, r)
				got[c.UserData] = c.Res
			}
			if got[1] != -int32(unix.EINVAL) || got[2] != 0 {
				t.Errorf("results %v", got)
			}
		})
	}
}

func TestWaitTimeout(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	for _, d := range []time.Duration{0, 1, time.Millisecond} {
		if err := r.Wait(1, d); err != nil {
			t.Errorf("timeout %v: %v", d, err)
		}
	}
	if r.Ready() != 0 {
		t.Error("a completion out of nothing")
	}
	if all, waits := r.Enters(); all != 3 || waits != 3 {
		t.Errorf("%d enters, %d waits", all, waits)
	}
}

func TestTimeoutOperation(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	ts := &Timespec{Nsec: 1000}
	r.SQE().PrepTimeout(ts, 0, 0)
	if c := next(t, r); c.Res != -int32(unix.ETIME) {
		t.Errorf("%+v", c)
	}
}

func TestCancelRequest(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, _ := socketpair(t)
	buf := make([]byte, 8)
	e := r.SQE()
	e.PrepRecv(a, buf, 0)
	e.UserData = 1
	e = r.SQE()
	e.PrepCancel(1)
	e.UserData = 2
	got := map[uint64]int32{}
	for range 2 {
		c := next(t, r)
		got[c.UserData] = c.Res
	}
	if got[1] != -int32(unix.ECANCELED) || got[2] != 0 {
		t.Errorf("results %v", got)
	}
	e = r.SQE()
	e.PrepCancel(1)
	if c := next(t, r); c.Res != -int32(unix.ENOENT) {
		t.Errorf("cancel of nothing: %+v", c)
	}
}

func TestReadWrite(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	out, in := []byte("through read and write"), make([]byte, 64)
	r.SQE().PrepWrite(a, out, -1)
	if c := next(t, r); c.Res != int32(len(out)) {
		t.Fatalf("%+v", c)
	}
	r.SQE().PrepRead(b, in, -1)
	if c := next(t, r); c.Res != int32(len(out)) || string(in[:c.Res]) != string(out) {
		t.Fatalf("%+v %q", c, in)
	}
}

func TestMultishotPollAndMsgRing(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	e := r.SQE()
	e.PrepPollAdd(a, unix.POLLIN, PollAddMulti)
	e.UserData = 1
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := unix.Write(int(b), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if c := next(t, r); c.UserData != 1 || c.Res&unix.POLLIN == 0 || c.Flags&CQEMore == 0 {
			t.Fatalf("%+v", c)
		}
	}
	if !r.Supports(OpMsgRing) {
		return
	}
	other := openRing(t, Config{})
	other.SQE().PrepMsgRing(int32(r.fd), 99, 7)
	if c := next(t, other); c.Res != 0 {
		t.Fatalf("%+v", c)
	}
	if c := next(t, r); c.UserData != 99 || c.Res != 7 {
		t.Fatalf("%+v", c)
	}
}

// TestSignalStorm interrupts the thread all the time while requests go through.
func TestSignalStorm(t *testing.T) {
	lock(t)
	stop := signalStorm(t)
	defer stop()
	nops(t, openRing(t, Config{}), 20000, 3)
	nops(t, openRing(t, Config{SQEntries: 4, CQEntries: 4}), 20000, 9)
	r := openRing(t, Config{})
	for range 200 {
		r.SQE().PrepTimeout(&Timespec{Nsec: 100_000}, 0, 0)
		if c := next(t, r); c.Res != -int32(unix.ETIME) {
			t.Fatalf("%+v", c)
		}
	}
}

// signalStorm sends SIGURG, which the Go runtime expects at any time, to the
// calling thread until stop is called.
func signalStorm(t *testing.T) (stop func()) {
	pid, tid := unix.Getpid(), unix.Gettid()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
			}
			if err := unix.Tgkill(pid, tid, unix.SIGURG); err != nil {
				t.Errorf("tgkill: %v", err)
				return
			}
			time.Sleep(20 * time.Microsecond)
		}
	}()
	return func() { close(quit); <-done }
}

func TestClosedRing(t *testing.T) {
	r, err := New(Config{})
	skipUnavailable(t, err)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if r.SQE() != nil || r.Ready() != 0 || r.Pending() != 0 || r.NeedsEnter() {
		t.Error("a closed ring has something")
	}
	if err := r.Submit(); err != unix.EBADF {
		t.Errorf("Submit: %v", err)
	}
}

// TestNoLeakedDescriptors opens and closes rings and drivers.
func TestNoLeakedDescriptors(t *testing.T) {
	lock(t)
	before := descriptors(t)
	for _, c := range configs {
		for range 20 {
			r, err := New(c.cfg)
			skipUnavailable(t, err)
			r.Close()
			d := openDriver(t, c.cfg)
			d.Poll()
			d.Close()
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func TestRingDoesNotAllocate(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	var cqes [8]CQE
	if n := testing.AllocsPerRun(100, func() {
		r.SQE().PrepNop()
		r.SQE().PrepNop()
		r.Submit()
		r.Wait(1, time.Second)
		r.Reap(cqes[:])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// socketpair returns two connected non-blocking stream sockets.
func socketpair(t testing.TB) (a, b int32) {
	t.Helper()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
	return int32(p[0]), int32(p[1])
}
