package service

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// Conns are the open connections of a server.
type Conns struct {
	stopping atomic.Bool

	mu       sync.Mutex
	open     map[*rt.Conn]struct{}
	accepted uint64
	empty    chan struct{} // closed when stopping and no connection is open
}

// NewConns returns an empty set.
func NewConns() *Conns {
	return &Conns{open: make(map[*rt.Conn]struct{}), empty: make(chan struct{})}
}

// Add adds a connection that was accepted.
func (c *Conns) Add(conn *rt.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = struct{}{}
	c.accepted++
	if c.stopping.Load() {
		stopReading(conn)
	}
}

// Close closes a connection and takes it out of the set.
func (c *Conns) Close(conn *rt.Conn) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
	c.closeIfEmpty()
}

// Stopping reports whether the server is about to end: a connection should close
// as soon as it has written the answer it is at. A server that sets read
// deadlines looks at it after each time it did.
func (c *Conns) Stopping() bool { return c.stopping.Load() }

// stopReading makes a read that waits, or starts later, end with an error; what
// is being written is not disturbed. It can only fail if conn is closed.
func stopReading(conn *rt.Conn) { _ = conn.SetReadDeadline(time.Unix(1, 0)) }

// closeIfEmpty is called with mu held.
func (c *Conns) closeIfEmpty() {
	if c.stopping.Load() && len(c.open) == 0 {
		select {
		case <-c.empty:
		default:
			close(c.empty)
		}
	}
}

// stop returns when all connections are closed. It asks them to end, and closes
// those that have not after the grace period.
func (c *Conns) stop(grace time.Duration) {
	c.mu.Lock()
	c.stopping.Store(true)
	for conn := range c.open {
		stopReading(conn)
	}
	c.closeIfEmpty()
	c.mu.Unlock()

	select {
	case <-c.empty:
		return
	case <-time.After(grace):
	}
	c.mu.Lock()
	for conn := range c.open {
		conn.Close()
	}
	c.mu.Unlock()
	<-c.empty
}
