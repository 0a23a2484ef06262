//go:build linux && !cogen_portable

package rt

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Conn is a TCP connection, a UNIX one, or a datagram socket that has been connected
// to one address. It is a [net.Conn] and behaves as a [net.TCPConn],
// [net.UnixConn] or [net.UDPConn] does: the same errors, deadlines and closing rules,
// usable by many tasks and goroutines at once.
//
// Each method that may have to wait has a companion: ReadAsync for Read, and so
// on. The plain form suspends the task that calls it, or parks the goroutine.
//
// A Conn holds a descriptor until it is closed; unlike package net's, it is not
// closed by the garbage collector.
type Conn struct {
	fd netFD
}

var (
	_ net.Conn      = (*Conn)(nil)
	_ syscall.Conn  = (*Conn)(nil)
	_ io.ReaderFrom = (*Conn)(nil)
	_ io.WriterTo   = (*Conn)(nil)
)

// ok reports whether c is a connection at all. A nil one, like package net's,
// fails with EINVAL.
func (c *Conn) ok() bool { return c != nil && c.fd.sys.ID != 0 }

// netFD is what futures operate on; nil if c is no connection.
func (c *Conn) netFD() *netFD {
	if !c.ok() {
		return nil
	}
	return &c.fd
}

// LocalAddr returns the address of this end, a [*net.TCPAddr], [*net.UnixAddr] or
// [*net.UDPAddr]. It is known also
// after Close. All calls return the same value; do not change it.
func (c *Conn) LocalAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.fd.local.netAddr(c.fd.net)
}

// RemoteAddr returns the address of the other end, like LocalAddr.
func (c *Conn) RemoteAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.fd.remote.netAddr(c.fd.net)
}

// SetDeadline sets the time from which reads and writes fail with
// [os.ErrDeadlineExceeded], including those that are waiting now. The zero time
// takes the deadline away.
func (c *Conn) SetDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.rd, &c.fd.wr)
}

// SetReadDeadline is SetDeadline for reads only.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.rd)
}

// SetWriteDeadline is SetDeadline for writes only. A write that runs into it
// returns the number of bytes that were written before.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.wr)
}

// CloseRead shuts down the receiving direction: reads return [io.EOF].
func (c *Conn) CloseRead() error {
	return c.shutdown(unix.SHUT_RD)
}

// CloseWrite shuts down the sending direction, so that the other end reads what
// was written and then the end of the stream.
func (c *Conn) CloseWrite() error {
	return c.shutdown(unix.SHUT_WR)
}

func (c *Conn) shutdown(how int) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	err := c.fd.acquire()
	if err == nil {
		err = os.NewSyscallError("shutdown", shutdownSocket(c.fd.sys.Sysfd, how))
		c.fd.drop()
	}
	if err != nil {
		return c.fd.opError("close", err)
	}
	return nil
}
