//go:build linux

package uring

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// drainMark is the UserData of the entry that CancelAll submits.
const drainMark = 0xd5a1_9c0b_47e2_f063

// CancelAll cancels every request, and returns when all have completed (Linux 6.0): the
// completions are there to be reaped, and what memory the requests name is the caller's
// again, except the buffers of zero-copy sends, which have notifications of their own. It
// is how to end a ring with requests in flight.
//
// The error is os.ErrDeadlineExceeded if a request cannot be interrupted (a file on a
// disk that does not answer, for instance) before timeout has passed; a negative timeout
// never does. The ring then carries out nothing new until that request has ended;
// CancelAll may be called again. It wraps errors.ErrUnsupported before Linux 6.16 if the
// ring has ever had an entry with SQECQESkipSuccess.
func (r *Ring) CancelAll(timeout time.Duration) error {
	// That nothing can be found to cancel does not mean that nothing is in flight: a
	// request that a kernel thread is at is interrupted without being counted (io_uring/
	// cancel.c, io_try_cancel, goes on to look for others), and one between the end
	// of a poll and its next try is found by no search. So an entry that the
	// kernel carries out only after all before it have completed says when it is over.
	// It waits in a list where cancellations do not look; when its turn has come they
	// may find it, so -ECANCELED is as good a result as 0.
	start := time.Now()
	if err := r.Submit(); err != nil { // ends a chain of links, which it must not be part of
		return err
	}
	if !r.draining {
		e := r.SQE()
		if e == nil {
			return r.Submit()
		}
		e.PrepNop()
		e.Flags, e.UserData = SQEIODrain, drainMark
		r.draining = true
	}
	for delay := time.Duration(0); ; delay = min(2*delay+time.Microsecond, time.Millisecond) {
		if err := r.Submit(); err != nil {
			return err
		}
		if done, err := r.drained(); done {
			return err
		}
		errno := r.syncCancel(&syncCancel{fd: -1, flags: CancelAny})
		switch errno {
		case 0, unix.ENOENT, unix.EALREADY, unix.ETIME:
		default:
			return registerError("SYNC_CANCEL", errno, true)
		}
		if timeout >= 0 && time.Since(start) > timeout {
			return fmt.Errorf("uring: cancel of all requests: %w", os.ErrDeadlineExceeded)
		}
		time.Sleep(delay)
	}
}

// drained looks for the completion of CancelAll's entry and takes it out. The others are
// set aside, in order.
func (r *Ring) drained() (bool, error) {
	r.spill()
	i := slices.IndexFunc(r.spilled, func(c CQE) bool { return c.UserData == drainMark })
	if i < 0 {
		return false, nil
	}
	err := r.spilled[i].Err()
	if r.spilled = slices.Delete(r.spilled, i, i+1); len(r.spilled) == 0 {
		r.spilled = nil
	}
	r.draining = false
	if err == unix.EOPNOTSUPP || err == unix.EINVAL {
		return true, fmt.Errorf("uring: cancel of all requests: entries with CQE_SKIP_SUCCESS cannot be waited for before Linux 6.16: %w", errors.ErrUnsupported)
	}
	return true, nil
}
