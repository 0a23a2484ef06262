//go:build linux && !cogen_portable

package rt

import (
	"math"
	"net"
	"time"
)

// sideTimer ends an operation when its side's deadline passes. It is active
// on the worker that holds the side, while an operation with a deadline is in
// flight.
type sideTimer struct {
	timer
	fd   *netFD
	side *side
	w    *worker // whose timer it is
}

// arm starts the timer if s has a deadline. Like disarm it runs on the thread of
// w, the side's holder.
func (s *side) arm(d *netFD, w *worker) {
	when := s.deadline.Load()
	if when == 0 {
		return
	}
	t := s.timer
	if t == nil {
		t = &sideTimer{fd: d, side: s}
		t.arg = t
		s.timer = t
	}
	t.w = w
	w.startTimer(&t.timer, when, deadlinePassed)
}

// disarm stops the timer if it runs.
func (s *side) disarm(w *worker) {
	if t := s.timer; t != nil && t.active() {
		w.stopTimer(&t.timer)
	}
}

func deadlinePassed(t *timer) {
	st := t.arg.(*sideTimer)
	st.fd.reconsider(st.side, st.w)
}

// past is a deadline that has passed at any time.
const past = 1

// deadlineAt converts a point in time to a side's deadline.
func deadlineAt(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	left := time.Until(t)
	if left <= 0 {
		return past
	}
	now := nanotime()
	return now + min(int64(left), math.MaxInt64-now)
}

// setDeadline makes operations on s fail from when on, those that wait now
// included; 0 takes a deadline away.
func (d *netFD) setDeadline(s *side, when int64) {
	s.deadline.Store(when)
	d.interrupt(s)
}

// setDeadlines sets the deadline of one side or both, with the errors of
// package net.
func (d *netFD) setDeadlines(t time.Time, sides ...*side) error {
	if d.closed.Load() {
		if d.listening {
			return net.ErrClosed // bare, as net.TCPListener's
		}
		return d.ownError("set", net.ErrClosed)
	}
	when := deadlineAt(t)
	for _, s := range sides {
		d.setDeadline(s, when)
	}
	return nil
}
