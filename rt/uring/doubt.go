//go:build linux

package uring

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// A multishot receive can miss the end of its stream: when bytes and the end, or a reset,
// come so close together that the kernel wakes the request twice before it has looked once,
// it receives the bytes and forgets the second wake-up. Nothing comes after an end, so the
// request would wait for ever (https://github.com/axboe/liburing/issues/1549; seen with
// Linux 6.18, for UNIX sockets with any end, for TCP with resets).
//
// So after bytes there is doubt whether the stream has ended. If nothing more comes for a
// while the driver asks the socket, many with one call, and starts the requests of those
// that have ended again; they find the end at once. The wake-up of an end that comes later
// is not lost, so a connection is asked about once after it has fallen silent.

// doubtDelay is for how long a stream has to be silent to be asked about. It bounds how late
// an end is noticed that the kernel has missed.
const doubtDelay = 50 * time.Millisecond

// doubts are the receives that have brought something lately.
type doubts struct {
	keys []key
	due  time.Time // when they are looked at, if there are any
	turn uint8
	poll []unix.PollFd
	ask  []key // those of poll
}

// doubt notes that op has brought bytes.
func (d *Driver) doubt(op *driver.Op) {
	if op.State&doubted != 0 {
		op.State |= heard
		return
	}
	op.State |= doubted
	if len(d.doubts.keys) == 0 {
		d.doubts.due = time.Now().Add(doubtDelay)
	}
	d.doubts.keys = append(d.doubts.keys, d.slots.key(op.Slot))
}

// untilDoubts returns how long the driver may sleep, timeout at most.
func (d *Driver) untilDoubts(timeout time.Duration) time.Duration {
	if len(d.doubts.keys) == 0 {
		return timeout
	}
	d.settle()
	if left := time.Until(d.doubts.due); len(d.doubts.keys) > 0 && (timeout < 0 || timeout > left) {
		return max(left, time.Microsecond)
	}
	return timeout
}

// settleNowAndThen is for turns that do not sleep: it looks at the time in few of them.
func (d *Driver) settleNowAndThen() {
	if d.doubts.turn++; d.doubts.turn == 0 && len(d.doubts.keys) > 0 {
		d.settle()
	}
}

// settle asks about the streams that have been silent since the last time.
func (d *Driver) settle() {
	s := &d.doubts
	now := time.Now()
	if now.Before(s.due) {
		return
	}
	keep := s.keys[:0]
	s.poll, s.ask = s.poll[:0], s.ask[:0]
	for _, k := range s.keys {
		op := d.slots.lookup(k)
		switch {
		case op == nil: // it has ended
		case op.State&heard != 0:
			op.State &^= heard
			keep = append(keep, k)
		default:
			op.State &^= doubted
			s.poll = append(s.poll, unix.PollFd{Fd: op.FD.Sysfd, Events: unix.POLLRDHUP})
			s.ask = append(s.ask, k)
		}
	}
	s.keys, s.due = keep, now.Add(doubtDelay)
	if len(s.poll) == 0 {
		return
	}
	n, err := d.pollNow(s.poll)
	if n == 0 && err == nil {
		return
	}
	for i, p := range s.poll {
		// If they cannot be asked, for lack of memory say, all are started again.
		if p.Revents != 0 || err != nil {
			d.again(s.ask[i])
		}
	}
}

// pollNow is poll(2) without waiting.
func (d *Driver) pollNow(fds []unix.PollFd) (n int, err error) {
	for {
		d.direct++
		if n, err = unix.Poll(fds, 0); err != unix.EINTR {
			return n, err
		}
	}
}

// again has the request with key k start again: it is cancelled, and nobody has asked for
// that (see repeatable).
func (d *Driver) again(k key) {
	if op := d.slots.lookup(k); op != nil && op.State&(cancelling|inBacklog) == 0 {
		d.cancel(k)
	}
}
