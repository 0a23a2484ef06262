//go:build !linux || cogen_portable

package rt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Sockets on systems without descriptors of the runtime's own.
//
// Conn and Listener wrap those of package net, which waits in the Go runtime's
// poller. In the plain form on an ordinary goroutine that is all. In a task each
// operation is done by another goroutine, which blocks on the task's behalf, and the
// task waits for that one. Giving an operation up means to have its deadline pass
// for a moment; others on the same socket that notice go on.

// errNotSimulated is why there is no network in a simulated world (package rttest).
var errNotSimulated = fmt.Errorf("sockets are not simulated on this system: %w", errors.ErrUnsupported)

// netSide is one direction of a socket, with the deadline that the user has set.
type netSide struct {
	set func(time.Time) error // sets the deadline of package net

	mu         sync.Mutex
	deadline   time.Time
	interrupts int // how many operations are being given up
}

// setDeadline is for the user.
func (s *netSide) setDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	if s.interrupts > 0 {
		return nil
	}
	return s.set(t)
}

// interrupt has all operations on s time out, until resume is called.
func (s *netSide) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupts++
	s.set(time.Unix(1, 0))
}

func (s *netSide) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupts--; s.interrupts == 0 {
		s.set(s.deadline)
	}
}

// spurious reports whether err is the timeout that somebody else's interrupt has
// caused.
func (s *netSide) spurious(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deadline.IsZero() || time.Now().Before(s.deadline)
}

// netJob is an operation on a side that another goroutine does.
type netJob struct {
	offload
	side         *netSide
	canceled     bool        // Cancel has been called
	gaveUp       bool        // and it has worked
	leaving      atomic.Bool // the goroutine is to come back
	interrupting bool
}

func (j *netJob) prepare(s *netSide) {
	j.reset()
	j.side, j.canceled, j.gaveUp, j.interrupting = s, false, false, false
	j.leaving.Store(false)
}

// reason says why j must not go on, or nil.
func (j *netJob) reason(cx *Context) error {
	if err := cx.canceled(); err != nil || !j.canceled {
		return err
	}
	return context.Canceled
}

// poll carries j on, which is self and has its error in err.
func (j *netJob) poll(cx *Context, self job, err *error) bool {
	reason := j.reason(cx)
	if !j.begun() {
		if reason != nil {
			j.gaveUp, *err = true, reason
			return true
		}
		j.begin(cx, self)
		return false
	}
	if !j.ended() {
		if reason != nil && !j.interrupting {
			j.interrupting = true
			j.leaving.Store(true)
			j.side.interrupt()
		}
		return false
	}
	if j.interrupting {
		j.interrupting = false
		if j.side.spurious(*err) {
			j.gaveUp, *err = true, context.Canceled
			if reason != nil {
				*err = reason
			}
		}
		j.side.resume()
	}
	return true
}

// again reports whether to repeat what has failed with err. It is called by the
// goroutine that does it.
func (j *netJob) again(err error) bool {
	if j.leaving.Load() || !j.side.spurious(err) {
		return false
	}
	runtime.Gosched()
	return true
}
