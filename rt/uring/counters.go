//go:build linux

package uring

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// published are the counters for other threads. The driver's thread counts in
// plain fields and copies them here once per turn.
type published struct {
	submitted, completed, cancelled, syscalls, waits atomic.Uint64
}

// publish stores only what has changed, because an atomic store is much dearer
// than the look that avoids it.
func (d *Driver) publish() {
	p := &d.published
	enters, waits := d.ring.Enters()
	set := func(a *atomic.Uint64, v uint64) {
		if a.Load() != v {
			a.Store(v)
		}
	}
	set(&p.submitted, d.submitted)
	set(&p.completed, d.completed)
	set(&p.cancelled, d.cancelled)
	set(&p.syscalls, enters+d.seeks+d.direct)
	set(&p.waits, waits)
}

// Counters returns the totals as of the end of the driver's last turn.
func (d *Driver) Counters() driver.Counters {
	p := &d.published
	wakes := d.waker.sent.Load()
	return driver.Counters{
		Submitted: p.submitted.Load(),
		Completed: p.completed.Load(),
		Cancelled: p.cancelled.Load(),
		Syscalls:  p.syscalls.Load() + wakes,
		Waits:     p.waits.Load(),
		Wakes:     wakes,
	}
}
