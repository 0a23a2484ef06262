//go:build linux

package uring

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unlessUnsupported skips the test if err says that the kernel lacks something.
func unlessUnsupported(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRegisteredFiles(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	if err := r.RegisterFiles(8); err != nil {
		t.Fatal(err)
	}
	a, b := socketpair(t)
	if err := r.UpdateFiles(2, []int32{a, -1, b}); err != nil {
		t.Fatal(err)
	}
	fixed := func(prep func(e *SQE)) func(e *SQE) {
		return func(e *SQE) {
			prep(e)
			e.Flags |= SQEFixedFile
		}
	}
	buf := make([]byte, 8)
	must(t, r, fixed(func(e *SQE) { e.PrepSend(2, []byte("abc"), 0) }))
	if n := must(t, r, fixed(func(e *SQE) { e.PrepRecv(4, buf, 0) })); string(buf[:n]) != "abc" {
		t.Errorf("%q", buf[:n])
	}
	if res := result(t, r, fixed(func(e *SQE) { e.PrepRecv(3, buf, 0) })); res != -int32(unix.EBADF) {
		t.Errorf("an empty place: %d", res)
	}
	// A request keeps its file when the place is emptied under it.
	e := r.SQE()
	e.PrepRecv(4, buf, 0)
	e.Flags |= SQEFixedFile
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateFiles(4, []int32{-1}); err != nil {
		t.Fatal(err)
	}
	unix.Write(int(a), []byte("x"))
	if c := next(t, r); c.Res != 1 {
		t.Errorf("%+v", c)
	}
	if err := r.UpdateFiles(7, []int32{a, b}); !errors.Is(err, unix.EINVAL) {
		t.Errorf("past the end: %v", err)
	}
	if err := r.RegisterFiles(8); !errors.Is(err, unix.EBUSY) {
		t.Errorf("a second table: %v", err)
	}
	for _, want := range []error{nil, unix.ENXIO} {
		if err := r.UnregisterFiles(); !errors.Is(err, want) {
			t.Errorf("unregister: %v, want %v", err, want)
		}
	}
	var lim unix.Rlimit
	unix.Getrlimit(unix.RLIMIT_NOFILE, &lim)
	if lim.Cur < 1<<20 {
		if err := r.RegisterFiles(int(lim.Cur) + 1); !errors.Is(err, unix.EMFILE) {
			t.Errorf("more than the limit of descriptors: %v", err)
		}
	}
}

// TestDirectDescriptors has connections and files that are never in the process's
// descriptor table.
func TestDirectDescriptors(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSocket)
	if err := r.RegisterFiles(4); err != nil {
		t.Fatal(err)
	}
	unlessUnsupported(t, r.AllocateFilesFrom(1, 3))
	fd, port := listener(t)
	client := dial(t, port)
	conn := must(t, r, func(e *SQE) {
		e.PrepAccept(fd, 0)
		e.SetDirect(FileIndexAlloc)
	})
	if conn != 1 {
		t.Errorf("index %d", conn)
	}
	sock := must(t, r, func(e *SQE) {
		e.PrepSocket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		e.SetDirect(FileIndexAlloc)
	})
	null := must(t, r, func(e *SQE) {
		e.PrepOpenat(unix.AT_FDCWD, path(t, "/dev/null"), unix.O_WRONLY, 0)
		e.SetDirect(0)
	})
	if null != 0 || sock != 2 {
		t.Errorf("null %d, socket %d", null, sock)
	}
	unix.Write(int(client), []byte("hello"))
	buf := make([]byte, 8)
	if n := must(t, r, func(e *SQE) { e.PrepRecv(conn, buf, 0); e.Flags |= SQEFixedFile }); string(buf[:n]) != "hello" {
		t.Errorf("%q", buf[:n])
	}
	if r.Supports(OpFixedFDInstall) {
		fd := must(t, r, func(e *SQE) { e.PrepFixedFDInstall(uint32(conn), 0) })
		unix.Write(int(fd), []byte("there"))
		if n, _ := unix.Read(int(client), buf); string(buf[:n]) != "there" {
			t.Errorf("%q", buf[:n])
		}
		unix.Close(int(fd))
	}
	must(t, r, func(e *SQE) { e.PrepSocket(unix.AF_INET, unix.SOCK_DGRAM, 0); e.SetDirect(FileIndexAlloc) })
	if res := result(t, r, func(e *SQE) { e.PrepSocket(unix.AF_INET, unix.SOCK_DGRAM, 0); e.SetDirect(FileIndexAlloc) }); res != -int32(unix.ENFILE) {
		t.Errorf("when the table is full: %d", res)
	}
	must(t, r, func(e *SQE) { e.PrepCloseDirect(uint32(conn)) })
	if n, err := unix.Read(int(client), buf); n != 0 || err != nil {
		t.Errorf("after close: %d, %v", n, err)
	}
	// A multishot accept into the table.
	e := r.SQE()
	e.PrepAcceptMultishot(fd, 0)
	e.SetDirect(FileIndexAlloc)
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	dial(t, port)
	if c := next(t, r); c.Err() != nil || !c.More() {
		t.Errorf("%+v", c)
	}
	e = r.SQE()
	e.PrepCancelFD(fd, CancelAll)
	e.UserData = 1
	for range 2 {
		if c := next(t, r); c.UserData == 0 && (c.Err() != unix.ECANCELED || c.More()) {
			t.Errorf("%+v", c)
		}
	}
}

// TestFilesUpdateOperation is UpdateFiles as an operation, and moves a file to
// another ring.
func TestFilesUpdateOperation(t *testing.T) {
	lock(t)
	r, other := openRing(t, Config{}), openRing(t, Config{})
	for _, x := range []*Ring{r, other} {
		if err := x.RegisterFiles(4); err != nil {
			t.Fatal(err)
		}
	}
	a, b := socketpair(t)
	fds := []int32{a, b}
	if n := must(t, r, func(e *SQE) { e.PrepFilesUpdate(fds, 1) }); n != 2 {
		t.Errorf("updated %d", n)
	}
	need(t, r, OpSocket, OpSendZC)
	fds = []int32{a}
	if n := must(t, r, func(e *SQE) { e.PrepFilesUpdate(fds, FileIndexAlloc) }); n != 1 || fds[0] != 0 && fds[0] != 3 {
		t.Errorf("updated %d, index %d", n, fds[0])
	}
	e := r.SQE()
	e.PrepMsgRingFD(int32(other.fd), 2, FileIndexAlloc, 77, 0)
	if c := next(t, r); c.Err() != nil {
		t.Fatalf("%+v", c)
	}
	c := next(t, other)
	if c.UserData != 77 || c.Res != 0 {
		t.Fatalf("%+v", c)
	}
	must(t, other, func(e *SQE) { e.PrepSend(0, []byte("x"), 0); e.Flags |= SQEFixedFile })
	if n, err := unix.Read(int(a), make([]byte, 4)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestRegisteredBuffers(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	unlessUnsupported(t, r.RegisterBuffers(4))
	buf := make([]byte, 8192)
	err := r.UpdateBuffers(1, buf, nil)
	if errors.Is(err, unix.ENOMEM) {
		t.Skip("memlock is exhausted: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := int32(f.Fd())
	copy(buf, "registered")
	if n := must(t, r, func(e *SQE) { e.PrepWriteFixed(fd, buf[:10], 3, 1) }); n != 10 {
		t.Errorf("wrote %d", n)
	}
	if n := must(t, r, func(e *SQE) { e.PrepReadFixed(fd, buf[100:200], 6, 1) }); string(buf[100:100+n]) != "istered" {
		t.Errorf("%q", buf[100:100+n])
	}
	other := make([]byte, 16)
	for i, index := range map[string]uint16{"not the buffer": 1, "an empty place": 2, "past the end": 9} {
		if res := result(t, r, func(e *SQE) { e.PrepReadFixed(fd, other, 0, index) }); res != -int32(unix.EFAULT) {
			t.Errorf("%s: %d", i, res)
		}
	}
	if err := r.UpdateBuffers(3, buf, buf); !errors.Is(err, unix.EINVAL) {
		t.Errorf("past the end: %v", err)
	}
	if err := r.UpdateBuffers(1, nil); err != nil || r.buffers[1] != nil {
		t.Errorf("%v, %v", err, r.buffers[1])
	}
	if err := r.UnregisterBuffers(); err != nil {
		t.Error(err)
	}
}

func TestLimitWorkers(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	_, _, err := r.LimitWorkers(3, 5)
	unlessUnsupported(t, err)
	b, u, err := r.LimitWorkers(0, 0)
	if b != 3 || u != 5 || err != nil {
		t.Errorf("limits %d, %d, %v", b, u, err)
	}
}

func TestRegisteredRingFD(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	unlessUnsupported(t, r.RegisterRingFD())
	if err := r.RegisterRingFD(); err != nil {
		t.Error(err)
	}
	nops(t, r, 500, 7)
	if err := r.Wait(1, time.Millisecond); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := r.UnregisterRingFD(); err != nil {
			t.Error(err)
		}
	}
	nops(t, r, 500, 7)
	if err := r.RegisterRingFD(); err != nil { // for Close to undo
		t.Error(err)
	}
	if _, errno := r.updateRingFD(registerRingFDs, ^uint32(0)); errno != 0 {
		t.Error(errno)
	}
}

// TestResize changes a ring in use, with entries and completions in it.
func TestResize(t *testing.T) {
	lock(t)
	if err := openRing(t, Config{}).Resize(8, 8); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a ring that is not deferred: %v", err)
	}
	r := openRing(t, Config{Defer: true, SQEntries: 8, CQEntries: 16})
	if r.info.Flags&SetupDeferTaskrun == 0 {
		t.Skip("no DEFER_TASKRUN before Linux 6.1")
	}
	nops(t, r, 30, 3)
	id := uint64(0)
	queue := func(n int) {
		for range n {
			e := r.SQE()
			e.PrepNop()
			e.UserData = id
			id++
		}
	}
	queue(6)
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	queue(3)
	unlessUnsupported(t, r.Resize(64, 256))
	if i := r.Info(); i.SQEntries != 64 || i.CQEntries != 256 || r.Ready() != 6 || r.Pending() != 3 {
		t.Errorf("%v, %d ready, %d pending", i, r.Ready(), r.Pending())
	}
	queue(50)
	for want := range id {
		if c := next(t, r); c.UserData != want {
			t.Fatalf("completion %d is %+v", want, c)
		}
	}
	queue(50)
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	if err := r.Resize(8, 16); !errors.Is(err, unix.EOVERFLOW) {
		t.Errorf("too small for what is in it: %v", err)
	}
	for range 50 {
		next(t, r)
	}
	if err := r.Resize(8, 16); err != nil {
		t.Error(err)
	}
	nops(t, r, 500, 9)
}

func TestBusyPoll(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	unlessUnsupported(t, r.BusyPoll(20*time.Microsecond, true))
	testRecvOnce(t, r)
	if err := r.BusyPoll(0, false); err != nil {
		t.Error(err)
	}
	testRecvOnce(t, r)
}

func testRecvOnce(t *testing.T, r *Ring) {
	t.Helper()
	a, b := socketpair(t)
	r.SQE().PrepRecv(a, make([]byte, 4), 0)
	if err := r.Wait(1, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	unix.Write(int(b), []byte("x"))
	if c := next(t, r); c.Res != 1 {
		t.Errorf("%+v", c)
	}
}

func TestSetClock(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	unlessUnsupported(t, r.SetClock(unix.CLOCK_BOOTTIME))
	if err := r.Wait(1, time.Millisecond); err != nil || r.Ready() != 0 {
		t.Error(err)
	}
	if err := r.SetClock(unix.CLOCK_REALTIME); !errors.Is(err, unix.EINVAL) {
		t.Errorf("another clock: %v", err)
	}
}

// TestWaitBatch waits for more completions than come.
func TestWaitBatch(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	r.SQE().PrepRecv(a, make([]byte, 4), 0)
	unix.Write(int(b), []byte("x"))
	// One is there: it is content with that after a millisecond, not after an hour.
	for r.Ready() == 0 {
		if err := r.WaitBatch(10, time.Millisecond, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if c := next(t, r); c.Res != 1 {
		t.Errorf("%+v", c)
	}
	// None is there: it waits for the first.
	r.SQE().PrepRecv(a, make([]byte, 4), 0)
	go func() {
		time.Sleep(5 * time.Millisecond)
		unix.Write(int(b), []byte("y"))
	}()
	for r.Ready() == 0 {
		if err := r.WaitBatch(10, time.Microsecond, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.WaitBatch(10, time.Microsecond, time.Millisecond); err != nil {
		t.Error(err)
	}
}

// TestSQPoll runs a ring whose entries a thread of the kernel's takes.
func TestSQPoll(t *testing.T) {
	lock(t)
	first := openRing(t, Config{SQEntries: 8, SQPoll: &SQPoll{Idle: time.Millisecond}})
	second := openRing(t, Config{SQEntries: 8, SQPoll: &SQPoll{Idle: time.Millisecond, Share: first}})
	for _, r := range []*Ring{first, second, first} {
		if r.info.Flags&SetupSQPoll == 0 {
			t.Fatalf("%v", r.Info())
		}
		nops(t, r, 5000, 3)
		nops(t, r, 5000, 20) // more than the queue holds
		// Let the thread fall asleep, and wake it.
		for deadline := time.Now().Add(patience); r.pollerFlags()&enterSQWakeup == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the kernel's thread does not sleep")
			}
		}
		nops(t, r, 10, 1)
		testRecvOnce(t, r)
	}
	d := openDriver(t, Config{SQPoll: &SQPoll{Idle: time.Millisecond}})
	testRoundTrips(t, d, 200)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestSQPollNeedsNoSystemCalls keeps the kernel's thread awake.
func TestSQPollNeedsNoSystemCalls(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQPoll: &SQPoll{Idle: 10 * time.Second}})
	nops(t, r, 10, 1) // wakes it
	before, _ := r.Enters()
	var cqes [8]CQE
	for range 1000 {
		r.SQE().PrepNop()
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(patience); r.Reap(cqes[:]) == 0; {
			if time.Now().After(deadline) {
				t.Fatal("no completion")
			}
		}
	}
	if after, _ := r.Enters(); after != before {
		t.Errorf("%d system calls", after-before)
	}
}
