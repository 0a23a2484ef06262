package rttest

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"
)

// A Sim is a simulated world, for the test in it. The methods of testing.TB may be
// used by all tasks. Its own may be, too, and by no other goroutines.
type Sim struct {
	testing.TB
	w *world
}

// Seed returns the seed of the world.
func (s *Sim) Seed() uint64 { return s.w.seed }

// Rand returns a source of random numbers that the seed determines, for what the test
// itself leaves to chance.
func (s *Sim) Rand() *rand.Rand { return s.w.tests }

// Elapsed returns how much of the world's time has passed.
func (s *Sim) Elapsed() time.Duration { return time.Since(s.w.start) }

// Isolate cuts off a host, as with its cable pulled: no data reaches it or comes from it.
// Datagrams are lost. Data of streams arrives when the host has been joined again, if that
// is within a quarter of an hour; else the connections fail. To dial it, or from it,
// takes until then.
func (s *Sim) Isolate(host netip.Addr) { s.w.isolate(host.Unmap(), true) }

// Rejoin ends what Isolate began.
func (s *Sim) Rejoin(host netip.Addr) { s.w.isolate(host.Unmap(), false) }

// Reset breaks a connection of streams, at both ends at once: what is in flight is lost, and
// operations fail with ECONNRESET. It does nothing if there is none between these
// addresses.
func (s *Sim) Reset(c net.Conn) { s.w.resetBetween(c.LocalAddr(), c.RemoteAddr()) }

// A Network says how the network of a world behaves. Chances are between 0 and 1.
type Network struct {
	// MinDelay and MaxDelay bound how long each piece of data takes. If both are 0 they
	// are 10 µs and 1 ms.
	MinDelay, MaxDelay time.Duration
	// Buffer is how many bytes of a stream may be on their way or wait to be
	// read. If it is 0, it is different for each connection, from 512 to 65,536.
	Buffer int
	// Whole turns off that transfers of streams are short more often than need be.
	Whole bool
	// Loss and Duplicate are the chances of a datagram to be lost and to arrive twice.
	Loss, Duplicate float64
	// Reset is the chance that a transfer breaks the connection.
	Reset float64
}
