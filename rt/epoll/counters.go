//go:build linux

package epoll

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// counters are kept in plain fields by the owner, and copied to where other threads
// may read them once a turn: an increment costs no atomic operation.
type counters struct {
	driver.Counters // the owner's

	submitted, completed, cancelled, syscalls, waits atomic.Uint64
}

func (c *counters) publish() {
	publish(&c.submitted, c.Submitted)
	publish(&c.completed, c.Completed)
	publish(&c.cancelled, c.Cancelled)
	publish(&c.syscalls, c.Syscalls)
	publish(&c.waits, c.Waits)
}

// publish stores only what has changed: a load is much cheaper than a store
// that other threads must see in order.
func publish(to *atomic.Uint64, v uint64) {
	if to.Load() != v {
		to.Store(v)
	}
}

// read may be called by any thread.
func (c *counters) read(wakes uint64) driver.Counters {
	return driver.Counters{
		Submitted: c.submitted.Load(),
		Completed: c.completed.Load(),
		Cancelled: c.cancelled.Load(),
		Syscalls:  c.syscalls.Load() + wakes,
		Waits:     c.waits.Load(),
		Wakes:     wakes,
	}
}
