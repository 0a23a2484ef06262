//go:build linux && !cogen_portable

package rt

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// netFD is a socket: what connections and listeners share. It decides who may
// use the descriptor, ends what waits when it is closed or a deadline passes,
// and closes the descriptor when nobody uses it any more.
//
// Rules, cited by number elsewhere:
//
//	F1. Each direction is used by one operation at a time (side.holder). The
//	    others queue in the order they came.
//	F2. Whoever takes a side looks at closed and at the deadline after taking it;
//	    whoever changes these looks at the holder after changing them. Atomics
//	    are sequentially consistent, so at least one of the two sees the other.
//	F3. A side held by a worker is given up on that worker's thread only. A
//	    cancellation is carried out there, and decides by what holds then (closed,
//	    deadline), not by which operation it was meant for. So it never hits an
//	    operation that it has no reason to hit.
//	F4. The descriptor is closed by the CloseFuture, and only when closed is set
//	    and neither side is held, nor the inflow running, nor a reference left
//	    (idle). Whoever gives one up after closed was set tells the closer.
type netFD struct {
	sys driver.FD // never changes
	net network   // never changes
	// listening tells a listener from a connection; never changes.
	listening bool
	// borrower is the index of the worker whose tasks borrowed last, and borrowed how
	// often in a row. They are the holder's of rd.
	borrowed uint8
	borrower uint16
	closed   atomic.Bool
	refs     atomic.Int32 // short uses that are not operations: socket options, shutdown
	rd, wr   side

	in atomic.Pointer[inflow] // set once, by the holder of rd

	mu     sync.Mutex // guards closer and the queues of both sides
	closer *task      // waits for the descriptor to become idle

	// The ends never change once operations may start. Connections share the local
	// one with their listener if it is the same.
	local  *endpoint
	remote endpoint
}

// lastFD is the ID of the descriptor that was opened last.
var lastFD atomic.Uint64

// opened names a descriptor that has just been opened. It must come before any
// operation on it.
func (d *netFD) opened(sysfd int32, n network) {
	d.sys = driver.FD{ID: lastFD.Add(1), Sysfd: sysfd}
	d.net = n
	checkOpened(d.sys)
}

// acquire takes a reference that keeps the descriptor open. It fails with
// net.ErrClosed.
func (d *netFD) acquire() error {
	d.refs.Add(1)
	if d.closed.Load() {
		d.drop()
		return net.ErrClosed
	}
	return nil
}

// drop gives up a reference.
func (d *netFD) drop() {
	d.refs.Add(-1)
	if d.closed.Load() {
		d.drained()
	}
}

// idle reports whether nobody uses the descriptor. Once it was true with closed
// set it stays so in effect: who still takes a side or a reference
// finds it closed and lets go without touching it.
func (d *netFD) idle() bool {
	return d.rd.holder.Load() == nil && d.wr.holder.Load() == nil && d.refs.Load() == 0 && d.running() == nil
}

// drained tells the closer, if there is one, that the descriptor may be idle.
func (d *netFD) drained() {
	if !d.idle() {
		return
	}
	d.mu.Lock()
	t := d.closer
	d.mu.Unlock()
	if t != nil {
		t.wake()
	}
}
