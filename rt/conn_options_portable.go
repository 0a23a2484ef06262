//go:build !linux || cogen_portable

package rt

import (
	"net"
	"syscall"
	"time"
)

// CloseRead shuts down the receiving direction: reads return [io.EOF].
func (c *Conn) CloseRead() error { return c.tell((*net.TCPConn).CloseRead) }

// CloseWrite shuts down the sending direction, so that the other end reads what
// was written and then the end of the stream.
func (c *Conn) CloseWrite() error { return c.tell((*net.TCPConn).CloseWrite) }

// SetNoDelay chooses whether small writes are sent at once (true, as set from the
// beginning) or gathered for a moment (Nagle's algorithm).
func (c *Conn) SetNoDelay(noDelay bool) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetNoDelay(noDelay) })
}

// SetKeepAlive chooses whether probes are sent on an idle connection to find out
// whether the other end is still there. They are from the beginning.
func (c *Conn) SetKeepAlive(keepalive bool) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetKeepAlive(keepalive) })
}

// SetKeepAlivePeriod sets how long a connection is idle before the first probe.
func (c *Conn) SetKeepAlivePeriod(d time.Duration) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetKeepAlivePeriod(d) })
}

// SetKeepAliveConfig sets everything about probes.
func (c *Conn) SetKeepAliveConfig(config net.KeepAliveConfig) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetKeepAliveConfig(config) })
}

// SetLinger sets what Close does with data that has not been sent or
// acknowledged, as [net.TCPConn.SetLinger] does.
func (c *Conn) SetLinger(sec int) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetLinger(sec) })
}

// SetReadBuffer sets the size of the system's receive buffer, in bytes.
func (c *Conn) SetReadBuffer(bytes int) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetReadBuffer(bytes) })
}

// SetWriteBuffer sets the size of the system's send buffer, in bytes.
func (c *Conn) SetWriteBuffer(bytes int) error {
	return c.tell(func(t *net.TCPConn) error { return t.SetWriteBuffer(bytes) })
}

func (c *Conn) tell(what func(*net.TCPConn) error) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return what(c.tcp)
}

// SyscallConn returns the raw connection; see [syscall.RawConn]. Its descriptor
// must not be closed. Its Read and Write block in a task, too.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if !c.ok() {
		return nil, syscall.EINVAL
	}
	return c.tcp.SyscallConn()
}
