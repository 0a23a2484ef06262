//go:build linux

package uring

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// These tests make io_uring_enter fail in ways that the kernel cannot be made to.

// failing makes every call of io_uring_enter that submits something fail n times
// before it succeeds.
func failing(r *Ring, errno unix.Errno, n int) {
	left := n
	r.fault = func(submit, _ uint32, _ uintptr) (unix.Errno, bool) {
		if submit == 0 {
			return 0, false
		}
		if left > 0 {
			left--
			return errno, true
		}
		left = n
		return 0, false
	}
}

func TestEnterFailsForAWhile(t *testing.T) {
	lock(t)
	for _, errno := range []unix.Errno{unix.EINTR, unix.EBUSY, unix.EAGAIN, unix.ENOMEM} {
		for _, c := range configs {
			t.Run(errno.Error()+"/"+c.name, func(t *testing.T) {
				lock(t)
				r := openRing(t, c.cfg)
				failing(r, errno, 2)
				nops(t, r, 300, 5)
				d := openDriver(t, c.cfg)
				failing(d.ring, errno, 2)
				testRoundTrips(t, d, 50)
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestBusyUntilReaped plays a kernel that takes nothing while there are completions in
// the queue. Nobody reaps, but more and more is submitted.
func TestBusyUntilReaped(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQEntries: 4, CQEntries: 8})
	busy := 0
	r.fault = func(submit, _ uint32, _ uintptr) (unix.Errno, bool) {
		if submit > 0 && r.Ready() > len(r.spilled) {
			busy++
			return unix.EBUSY, true
		}
		return 0, false
	}
	const n = 100
	for i := range n {
		e := r.SQE()
		e.PrepNop()
		e.UserData = uint64(i)
	}
	if err := r.Submit(); err != nil || r.Pending() != 0 {
		t.Fatalf("%v, %d pending", err, r.Pending())
	}
	if busy == 0 {
		t.Error("the fault was not met")
	}
	if got := r.Ready(); got != n {
		t.Errorf("%d ready", got)
	}
	if err := r.Wait(n, patience); err != nil {
		t.Error(err)
	}
	for i := range n {
		if c := next(t, r); c.UserData != uint64(i) {
			t.Fatalf("completion %d is %+v", i, c)
		}
	}
	if r.Ready() != 0 || r.spilled != nil {
		t.Errorf("%d left over", r.Ready())
	}
}

// TestSubmitFailsAfterQueueing fails the system call after the entry has been queued:
// it must be neither lost nor submitted twice.
func TestSubmitFailsAfterQueueing(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	e := r.SQE()
	e.PrepNop()
	e.UserData = 1
	r.fault = func(uint32, uint32, uintptr) (unix.Errno, bool) { return unix.EAGAIN, true }
	if err := r.Submit(); err != nil || r.Pending() != 1 {
		t.Fatalf("%v, %d pending", err, r.Pending())
	}
	if err := r.Wait(1, 0); err != nil || r.Pending() != 1 || r.Ready() != 0 {
		t.Fatalf("%v, %d pending, %d ready", err, r.Pending(), r.Ready())
	}
	r.fault = nil
	if c := next(t, r); c.UserData != 1 {
		t.Fatalf("%+v", c)
	}
	if err := r.Wait(1, time.Millisecond); err != nil || r.Ready() != 0 {
		t.Errorf("%v, %d completions too many", err, r.Ready())
	}
}

// TestInterruptedAfterSubmitting returns EINTR though the kernel has taken the entries.
func TestInterruptedAfterSubmitting(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	r.fault = func(submit, _ uint32, flags uintptr) (unix.Errno, bool) {
		if submit == 0 {
			return 0, false
		}
		unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(submit), 0, enterGetEvents, 0, 0)
		return unix.EINTR, true
	}
	nops(t, r, 500, 7)
}

// TestShortSubmit has the kernel take one entry at a time.
func TestShortSubmit(t *testing.T) {
	lock(t)
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			lock(t)
			short := func(r *Ring) {
				r.fault = func(submit, _ uint32, flags uintptr) (unix.Errno, bool) {
					if submit <= 1 {
						return 0, false
					}
					// The count, 1, is less than what was asked for; the kernel then
					// does not wait.
					unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), 1, 0, enterGetEvents, 0, 0)
					return 0, true
				}
			}
			r := openRing(t, c.cfg)
			short(r)
			nops(t, r, 500, 7)
			d := openDriver(t, c.cfg)
			short(d.ring)
			testRoundTrips(t, d, 50)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMisuse is what does not go away.
func TestMisuse(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQEntries: 2})
	r.fault = func(uint32, uint32, uintptr) (unix.Errno, bool) { return unix.EEXIST, true }
	for range r.Info().SQEntries {
		r.SQE().PrepNop()
	}
	if r.SQE() != nil {
		t.Error("an entry from a ring that cannot submit")
	}
	for _, err := range []error{r.Submit(), r.Wait(1, time.Second), r.Reserve(1)} {
		if err != unix.EEXIST {
			t.Errorf("error %v", err)
		}
	}
	if err := r.Reserve(1000); err == nil || err == unix.EEXIST {
		t.Errorf("room for more than the queue holds: %v", err)
	}
	r.fault = nil
	if err := r.Reserve(2); err != nil || r.Pending() != 0 {
		t.Errorf("%v, %d pending", err, r.Pending())
	}
}

// TestLateCompletion brings a completion for an operation that has ended, whose slot
// another one has now.
func TestLateCompletion(t *testing.T) {
	onDrivers(t, func(t *testing.T, d *Driver) {
		var o owner
		a, b := socketpair(t)
		first := recvOp(a, &o)
		d.Submit(first)
		stale := d.slots.key(first.Slot)
		unix.Write(int(b), []byte("x"))
		until(t, d, func() bool { return o.ended == 1 })
		second := recvOp(a, &o)
		d.Submit(second)
		if second.Slot != uint32(stale) {
			t.Fatalf("slot %d is not used again, but %d", uint32(stale), second.Slot)
		}
		// A late cancellation finds nothing, here and in the kernel.
		d.cancel(stale)
		d.Poll()
		d.complete(CQE{UserData: uint64(stale&^kindMask | kindCancel), Res: -int32(unix.EALREADY)})
		if o.ended != 1 || second.State != inFlight || len(d.stubborn) != 0 {
			t.Errorf("%d ended, state %d, stubborn %v", o.ended, second.State, d.stubborn)
		}
		mustPanic(t, "a second completion of one request", func() { d.complete(CQE{UserData: uint64(stale), Res: 5}) })
		if o.ended != 1 || second.State != inFlight {
			t.Errorf("%d ended, state %d", o.ended, second.State)
		}
		unix.Write(int(b), []byte("y"))
		until(t, d, func() bool { return o.ended == 2 })
		if second.Res != 1 || second.Buf[0] != 'y' {
			t.Errorf("%+v", second)
		}
	})
}
