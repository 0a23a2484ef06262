//go:build linux

package uring

import (
	"os/exec"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// results runs what prepares n requests, whose UserData are 1 to n, and returns their
// results.
func results(t *testing.T, r *Ring, n int, prep ...func(e *SQE)) map[uint64]int32 {
	t.Helper()
	for i, p := range prep {
		e := r.SQE()
		p(e)
		e.UserData = uint64(i + 1)
	}
	got := map[uint64]int32{}
	for range n {
		c := next(t, r)
		if _, ok := got[c.UserData]; ok {
			t.Fatalf("%+v is the second completion of its request", c)
		}
		got[c.UserData] = c.Res
	}
	return got
}

const (
	hour     = 3600
	canceled = -int32(unix.ECANCELED)
	timedOut = -int32(unix.ETIME)
)

func TestTimeouts(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	long, short := &Timespec{Sec: hour}, &Timespec{Nsec: 1000}

	got := results(t, r, 2,
		func(e *SQE) { e.PrepTimeout(long, 0, 0) },
		func(e *SQE) { e.PrepTimeoutRemove(1) })
	if got[1] != canceled || got[2] != 0 {
		t.Errorf("removed: %v", got)
	}
	got = results(t, r, 2,
		func(e *SQE) { e.PrepTimeout(long, 0, 0) },
		func(e *SQE) { e.PrepTimeoutUpdate(1, short, 0) })
	if got[1] != timedOut || got[2] != 0 {
		t.Errorf("updated: %v", got)
	}
	got = results(t, r, 2,
		func(e *SQE) { e.PrepTimeout(long, 1, 0) },
		func(e *SQE) { e.PrepNop() })
	if got[1] != 0 || got[2] != 0 {
		t.Errorf("counted: %v", got)
	}
	now := new(unix.Timespec)
	unix.ClockGettime(unix.CLOCK_MONOTONIC, now)
	abs := &Timespec{Sec: int64(now.Sec), Nsec: int64(now.Nsec)}
	if got := results(t, r, 1, func(e *SQE) { e.PrepTimeout(abs, 0, TimeoutAbs) }); got[1] != timedOut {
		t.Errorf("absolute: %v", got)
	}
	// A multishot fires as often as it is told, then ends.
	r.SQE().PrepTimeout(short, 3, TimeoutMultishot)
	for i := range 3 {
		c := next(t, r)
		if c.Err() == unix.EINVAL {
			t.Skip("no multishot timeouts before Linux 6.4")
		}
		if c.Err() != unix.ETIME || c.More() != (i < 2) {
			t.Errorf("shot %d: %+v", i, c)
		}
	}
}

// TestLinkTimeout limits a receive that gets nothing, one that gets something at once,
// and one whose data comes at about the time when its limit is over.
func TestLinkTimeout(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	buf := make([]byte, 8)
	recv := func(e *SQE) {
		e.PrepRecv(a, buf, 0)
		e.Flags |= SQEIOLink
	}
	limit := func(ts Timespec) func(e *SQE) {
		return func(e *SQE) { e.PrepLinkTimeout(&ts, 0) }
	}
	got := results(t, r, 2, recv, limit(Timespec{Nsec: 1000}))
	if got[1] != canceled || got[2] != timedOut {
		t.Errorf("nothing to receive: %v", got)
	}
	unix.Write(int(b), []byte("abc"))
	got = results(t, r, 2, recv, limit(Timespec{Sec: hour}))
	if got[1] != 3 || got[2] != canceled {
		t.Errorf("something to receive: %v", got)
	}
	ends := map[[2]int32]int{}
	for i := range 300 {
		r.Reserve(2)
		done := make(chan struct{})
		go func() {
			time.Sleep(time.Duration(i%30) * 5 * time.Microsecond)
			unix.Write(int(b), []byte("x"))
			close(done)
		}()
		got := results(t, r, 2, recv, limit(Timespec{Nsec: 100_000}))
		<-done
		if got[1] != 1 {
			if got[1] != canceled && got[1] != -int32(unix.EINTR) {
				t.Fatalf("receive: %v", got)
			}
			// The byte was not lost.
			must(t, r, func(e *SQE) { e.PrepRecv(a, buf, 0) })
		}
		ends[[2]int32{got[1], got[2]}]++
	}
	t.Logf("results of receive and timeout: %v", ends)
	got = results(t, r, 3, recv,
		limit(Timespec{Sec: hour}),
		func(e *SQE) { e.PrepTimeoutUpdate(2, &Timespec{Nsec: 1000}, LinkTimeoutUpdate) })
	if got[1] != canceled || got[2] != timedOut || got[3] != 0 {
		t.Errorf("updated: %v", got)
	}
}

// TestLinks shows what ends a chain.
func TestLinks(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	fail := func(flags uint8) func(e *SQE) {
		return func(e *SQE) {
			e.PrepClose(-1)
			e.Flags = flags
		}
	}
	nop := func(flags uint8) func(e *SQE) {
		return func(e *SQE) {
			e.PrepNop()
			e.Flags = flags
		}
	}
	bad := -int32(unix.EBADF)
	if got := results(t, r, 3, nop(SQEIOLink), fail(SQEIOLink), nop(0)); got[1] != 0 || got[2] != bad || got[3] != canceled {
		t.Errorf("linked: %v", got)
	}
	if got := results(t, r, 3, nop(SQEIOHardlink), fail(SQEIOHardlink), nop(0)); got[1] != 0 || got[2] != bad || got[3] != 0 {
		t.Errorf("hard-linked: %v", got)
	}
	if r.info.Features&FeatCQESkip == 0 {
		return
	}
	if got := results(t, r, 2, nop(SQECQESkipSuccess), fail(SQECQESkipSuccess), nop(0)); got[2] != bad || got[3] != 0 {
		t.Errorf("skipped: %v", got)
	}
}

func TestEpoll(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ep)
	a, b := socketpair(t)
	ev := &unix.EpollEvent{Events: unix.EPOLLIN, Fd: a}
	must(t, r, func(e *SQE) { e.PrepEpollCtl(int32(ep), unix.EPOLL_CTL_ADD, a, ev) })
	unix.Write(int(b), []byte("x"))
	need(t, r, OpEpollWait)
	evs := make([]unix.EpollEvent, 4)
	if n := must(t, r, func(e *SQE) { e.PrepEpollWait(int32(ep), evs, 0) }); n != 1 || evs[0].Fd != a {
		t.Errorf("%d events, %+v", n, evs)
	}
}

func TestFutex(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpFutexWait, OpFutexWake)
	const flags = 2 | 128 // FUTEX2_SIZE_U32, FUTEX2_PRIVATE
	word := new(uint32)
	*word = 7
	got := results(t, r, 3,
		func(e *SQE) { e.PrepFutexWait(word, 7, 1, flags) },
		func(e *SQE) { e.PrepFutexWait(word, 8, 1, flags) },
		func(e *SQE) { e.PrepFutexWake(word, 1, 1, flags) })
	if got[1] != 0 || got[2] != -int32(unix.EAGAIN) || got[3] != 1 {
		t.Errorf("%v", got)
	}
}

func TestWaitid(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpWaitid)
	cmd := exec.Command("/bin/sh", "-c", "exit 3")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	info := new(unix.Siginfo)
	must(t, r, func(e *SQE) {
		e.PrepWaitid(unix.P_PID, uint32(cmd.Process.Pid), unix.WEXITED|unix.WNOWAIT, info)
	})
	if info.Signo != int32(unix.SIGCHLD) {
		t.Errorf("%+v", info)
	}
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v", cmd.ProcessState)
	}
}

// TestPrepGeneral prepares an operation that has no method of its own.
func TestPrepGeneral(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSetxattr)
	dir := t.TempDir()
	name, value := path(t, "user.cogen"), []byte("value")
	res := result(t, r, func(e *SQE) {
		e.Prep(OpSetxattr, 0, unsafe.Pointer(name), uint32(len(value)), array(value))
		e.Addr3 = pointer(path(t, dir))
	})
	if res == -int32(unix.ENOTSUP) {
		t.Skip("no extended attributes here")
	}
	got := make([]byte, 16)
	n, err := unix.Getxattr(dir, "user.cogen", got)
	if res != 0 || err != nil || string(got[:n]) != "value" {
		t.Errorf("result %d; %q, %v", res, got[:max(n, 0)], err)
	}
}
