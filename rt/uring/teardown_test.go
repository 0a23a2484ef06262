//go:build linux

package uring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// kernelThreads counts the threads that the kernel has made to carry out requests of
// the calling thread. They stay for a while when they have nothing to do.
func kernelThreads(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil || len(files) == 0 {
		t.Skip("no /proc")
	}
	mine := fmt.Sprintf("iou-wrk-%d", unix.Gettid())
	n := 0
	for _, f := range files {
		if name, err := os.ReadFile(f); err == nil && strings.TrimSpace(string(name)) == mine {
			n++
		}
	}
	return n
}

// TestWorkerExplosion submits requests each of which blocks a thread of the kernel's.
func TestWorkerExplosion(t *testing.T) {
	lock(t)
	before := kernelThreads(t)
	r := openRing(t, Config{})
	const most, n = 3, 60
	_, _, err := r.LimitWorkers(most, most)
	unlessUnsupported(t, err)
	null, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer null.Close()
	in, feed := pipe(t)
	for i := range n {
		e := r.SQE()
		e.PrepSplice(in, -1, int32(null.Fd()), -1, 1, 0)
		e.UserData = uint64(i)
	}
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); kernelThreads(t) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no thread has been made")
		}
	}
	for range 10 {
		if got := kernelThreads(t); got > max(before, 2*most) {
			t.Errorf("%d threads for %d requests, the limits are %d", got, n, most)
		}
		time.Sleep(time.Millisecond)
	}
	// They all get their turn.
	if _, err := unix.Write(int(feed), make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	for range n {
		if c := next(t, r); c.Res != 1 {
			t.Errorf("%+v", c)
		}
	}
}

// TestCancelAll ends a ring with requests of all kinds in flight, and checks that their
// memory is not touched any more.
func TestCancelAll(t *testing.T) {
	lock(t)
	for _, cfg := range []Config{{}, {Defer: true}, {SQEntries: 4, CQEntries: 4}} {
		r := openRing(t, cfg)
		a, b := socketpair(t)
		rd, _ := pipe(t)
		fd, port := listener(t)
		bufs := openBufRing(t, r, BufRingConfig{Size: 64, Buffers: 4})
		const each = 20
		var mem [2 * each][]byte
		for i := range mem {
			mem[i] = make([]byte, 16)
			if i%2 == 0 {
				r.SQE().PrepRecv(a, mem[i], 0)
			} else {
				e := r.SQE()
				e.PrepRead(rd, mem[i], -1)
				e.Flags |= SQEAsync
			}
		}
		for range each {
			r.SQE().PrepTimeout(&Timespec{Sec: 3600}, 0, 0)
			r.SQE().PrepPollAdd(a, unix.POLLIN, PollAddMulti)
			r.SQE().PrepRecvMultishot(a, bufs.Group(), 0)
		}
		r.SQE().PrepAcceptMultishot(fd, unix.SOCK_CLOEXEC)
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
		// One of them is on its way to be woken.
		unix.Write(int(b), []byte("early"))
		unlessUnsupported(t, r.CancelAll(patience))
		want := len(mem) + 3*each + 1
		var cqes [8]CQE
		ended, early := 0, 0
		for {
			n := r.Reap(cqes[:])
			for _, c := range cqes[:n] {
				for _, chunk := range bufs.Take(nil, c) {
					early += len(chunk.Data)
					bufs.Put(chunk)
				}
				if c.More() {
					continue
				}
				ended++
				if c.Res == 5 {
					early += 5
				}
			}
			if n == 0 {
				if r.NeedsEnter() {
					if err := r.Submit(); err != nil {
						t.Fatal(err)
					}
					continue
				}
				break
			}
		}
		if ended != want {
			t.Errorf("%+v: %d of %d requests have ended", cfg, ended, want)
		}
		// Nobody is there any more to take these bytes, or this connection.
		if _, err := unix.Write(int(b), []byte("late")); err != nil {
			t.Fatal(err)
		}
		dial(t, port)
		if err := r.Wait(1, 5*time.Millisecond); err != nil || r.Ready() != 0 {
			t.Errorf("%v, %d completions", err, r.Ready())
		}
		left := make([]byte, 32)
		n, _ := unix.Read(int(a), left)
		if got := n + early; got != len("earlylate") {
			t.Errorf("of 9 bytes %d arrived, %d late", got, n)
		}
		sound(t, bufs)
		if err := bufs.Close(); err != nil {
			t.Error(err)
		}
	}
	r := openRing(t, Config{})
	if err := r.CancelAll(patience); err != nil {
		t.Errorf("nothing to cancel: %v", err)
	}
}

// TestCancelAllGivesUp has a request that cannot be cancelled.
func TestCancelAllGivesUp(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	unlessUnsupported(t, r.CancelAll(patience))
	// A request that the kernel does not take cannot be found.
	e := r.SQE()
	e.PrepNop()
	e.UserData = 1
	r.fault = func(submit, _ uint32, _ uintptr) (unix.Errno, bool) { return unix.EAGAIN, submit > 0 }
	for range 2 {
		if err := r.CancelAll(time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	}
	r.fault = nil
	if c := next(t, r); c.UserData != 1 || c.Res != 0 {
		t.Errorf("%+v", c)
	}
	// What it has submitted is not seen, and the ring goes on.
	nops(t, r, 500, 7)
	if err := r.CancelAll(patience); err != nil || r.draining || r.Ready() != 0 {
		t.Errorf("%v, draining %v, %d ready", err, r.draining, r.Ready())
	}
	nops(t, r, 500, 7)
}

// TestCloseInFlight closes rings without cancelling first: their descriptors go, and
// so do, a little later, the files that requests hold.
func TestCloseInFlight(t *testing.T) {
	lock(t)
	before := descriptors(t)
	// The kernel finishes what was in flight with this memory.
	mem := make([]byte, 64)
	for range 20 {
		r, err := New(Config{})
		skipUnavailable(t, err)
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.SQE().PrepRecv(int32(p[0]), mem, 0)
		r.SQE().PrepTimeout(&Timespec{Sec: 3600}, 0, 0)
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
		unix.Close(p[0])
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		// The other end is closed only when the request has let go of it.
		limit := unix.NsecToTimeval(int64(patience))
		unix.SetsockoptTimeval(p[1], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
		n, err := unix.Read(p[1], mem[32:])
		for err == unix.EINTR {
			n, err = unix.Read(p[1], mem[32:])
		}
		if n != 0 || err != nil {
			t.Fatalf("read from a socket whose other end is closed: %d, %v", n, err)
		}
		unix.Close(p[1])
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// TestThreadExits submits on a thread that ends: the kernel does not carry on what that
// thread had in flight, and says so.
func TestThreadExits(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	b := openBufRing(t, r, BufRingConfig{Size: 64, Buffers: 4})
	x, y := socketpair(t)
	buf := make([]byte, 8)
	onThreadThatExits(t, func() {
		e := r.SQE()
		e.PrepRecvMultishot(x, b.Group(), 0)
		e.UserData = 1
		e = r.SQE()
		e.PrepPollAdd(x, unix.POLLIN, PollAddMulti)
		e.UserData = 2
		r.Wait(1, time.Millisecond)
	})
	unix.Write(int(y), []byte("abc"))
	got := map[uint64]CQE{}
	for len(got) < 2 {
		c := next(t, r)
		if !c.More() {
			got[c.UserData] = c
		}
		for _, chunk := range b.Take(nil, c) {
			t.Errorf("received %q for a thread that is gone", chunk.Data)
		}
	}
	for _, c := range got {
		if c.Err() != unix.ECANCELED {
			t.Errorf("%+v", c)
		}
	}
	// Nothing is lost, and the ring goes on here.
	if n := must(t, r, func(e *SQE) { e.PrepRecv(x, buf, 0) }); n != 3 {
		t.Errorf("received %d", n)
	}
	sound(t, b)
}

// TestDeferredRingBelongsToItsThread is why workers do not use such rings: nobody else
// can take one over.
func TestDeferredRingBelongsToItsThread(t *testing.T) {
	lock(t)
	r := openRing(t, Config{Defer: true})
	if r.info.Flags&SetupDeferTaskrun == 0 {
		t.Skip("no DEFER_TASKRUN before Linux 6.1")
	}
	r.SQE().PrepNop()
	other := make(chan error)
	go func() { other <- r.Submit() }() // this goroutine keeps its thread
	if err := <-other; err != unix.EEXIST {
		t.Errorf("another thread: %v", err)
	}
	if c := next(t, r); c.Res != 0 {
		t.Errorf("%+v", c)
	}
}
