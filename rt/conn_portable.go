//go:build !linux || cogen_portable

package rt

import (
	"net"
	"syscall"
	"time"
)

// Conn is a TCP connection. It is a [net.Conn] and behaves as a [net.TCPConn]
// does: the same errors, deadlines and closing rules, usable by many tasks and
// goroutines at once.
//
// Each method that may have to wait has a companion: ReadAsync for Read, and so
// on. The plain form suspends the task that calls it, or parks the goroutine.
type Conn struct {
	tcp    *net.TCPConn
	rd, wr netSide
}

var (
	_ net.Conn     = (*Conn)(nil)
	_ syscall.Conn = (*Conn)(nil)
)

func newConn(tcp *net.TCPConn) *Conn {
	c := &Conn{tcp: tcp}
	c.rd.set, c.wr.set = tcp.SetReadDeadline, tcp.SetWriteDeadline
	return c
}

// ok reports whether c is a connection at all. A nil one, like package net's,
// fails with EINVAL.
func (c *Conn) ok() bool { return c != nil && c.tcp != nil }

// Read reads at most len(b) bytes into b, waiting until there is at least one.
// At the end of the stream it returns 0 and io.EOF.
func (c *Conn) Read(b []byte) (int, error) {
	f := c.ReadAsync(b)
	if f.err == nil && contextHere() == nil {
		f.work()
	} else {
		block(f)
	}
	return f.Result()
}

// ReadAsync is the async form of Read. The future owns b until it has finished.
func (c *Conn) ReadAsync(b []byte) *ReadFuture {
	f := new(ReadFuture)
	f.Init(c, b)
	return f
}

// ReadFuture is a [Conn.Read] in progress.
type ReadFuture struct {
	netJob
	c   *Conn
	b   []byte
	n   int
	err error
}

// Init makes f a read from c into b. It may be used again after it has finished.
func (f *ReadFuture) Init(c *Conn, b []byte) {
	f.c, f.b, f.n, f.err = c, b, 0, nil
	if !c.ok() {
		f.prepare(nil)
		f.err = syscall.EINVAL
		return
	}
	f.prepare(&c.rd)
}

// goOn is Init for the rest of a longer read: if that is to be given up, it stays so.
func (f *ReadFuture) goOn(c *Conn, b []byte) {
	canceled := f.canceled
	f.Init(c, b)
	f.canceled = canceled
}

// Poll carries the read on.
func (f *ReadFuture) Poll(cx *Context) bool { return f.side == nil || f.poll(cx, f, &f.err) }

func (f *ReadFuture) work() {
	for {
		f.n, f.err = f.c.tcp.Read(f.b)
		if f.n > 0 || !f.again(f.err) {
			f.b = nil
			return
		}
	}
}

// Result returns what [Conn.Read] returns.
func (f *ReadFuture) Result() (n int, err error) { return f.n, f.err }

// Cancel implements [Canceler]. A read that was given up has read nothing, and its
// error is [context.Canceled].
func (f *ReadFuture) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler].
func (f *ReadFuture) Canceled() bool { return f.gaveUp }

// Write writes all of b, or returns the number of bytes written and why it
// stopped. What one call writes is not interleaved with what another does.
func (c *Conn) Write(b []byte) (int, error) {
	f := c.WriteAsync(b)
	if f.err == nil && contextHere() == nil {
		f.work()
	} else {
		block(f)
	}
	return f.Result()
}

// WriteAsync is the async form of Write. The future owns b until it has finished.
func (c *Conn) WriteAsync(b []byte) *WriteFuture {
	f := new(WriteFuture)
	f.Init(c, b)
	return f
}

// WriteFuture is a [Conn.Write] in progress.
type WriteFuture struct {
	netJob
	c   *Conn
	b   []byte
	n   int
	err error
}

// Init makes f a write of b to c. It may be used again after it has finished.
func (f *WriteFuture) Init(c *Conn, b []byte) {
	f.c, f.b, f.n, f.err = c, b, 0, nil
	if !c.ok() {
		f.prepare(nil)
		f.err = syscall.EINVAL
		return
	}
	f.prepare(&c.wr)
}

// Poll carries the write on.
func (f *WriteFuture) Poll(cx *Context) bool { return f.side == nil || f.poll(cx, f, &f.err) }

func (f *WriteFuture) work() {
	for {
		var n int
		n, f.err = f.c.tcp.Write(f.b)
		f.n += n
		f.b = f.b[n:]
		if f.err == nil || !f.again(f.err) {
			f.b = nil
			return
		}
	}
}

// Result returns what [Conn.Write] returns.
func (f *WriteFuture) Result() (n int, err error) { return f.n, f.err }

// Cancel implements [Canceler]. The error of a write that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (f *WriteFuture) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (f *WriteFuture) Canceled() bool { return f.n == 0 && f.gaveUp }

// Close closes the connection. Reads and writes that are waiting fail with
// [net.ErrClosed].
func (c *Conn) Close() error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.tcp.Close()
}

// CloseAsync is the async form of Close.
func (c *Conn) CloseAsync() *CloseFuture {
	f := new(CloseFuture)
	f.Init(c)
	return f
}

// CloseFuture is a [Conn.Close] in progress.
type CloseFuture struct {
	c   *Conn
	err error
}

// Init makes f the closing of c.
func (f *CloseFuture) Init(c *Conn) { f.c, f.err = c, nil }

// Poll closes the connection, which needs no waiting.
func (f *CloseFuture) Poll(*Context) bool {
	f.err = f.c.Close()
	return true
}

// Result returns what [Conn.Close] returns.
func (f *CloseFuture) Result() error { return f.err }

// LocalAddr returns the address of this end, a [*net.TCPAddr].
func (c *Conn) LocalAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.tcp.LocalAddr()
}

// RemoteAddr returns the address of the other end, like LocalAddr.
func (c *Conn) RemoteAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.tcp.RemoteAddr()
}

// SetDeadline sets the time from which reads and writes fail with
// [os.ErrDeadlineExceeded], including those that are waiting now. The zero time
// takes the deadline away.
func (c *Conn) SetDeadline(t time.Time) error {
	err := c.SetReadDeadline(t)
	if err == nil {
		err = c.SetWriteDeadline(t)
	}
	return err
}

// SetReadDeadline is SetDeadline for reads only.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.rd.setDeadline(t)
}

// SetWriteDeadline is SetDeadline for writes only. A write that runs into it
// returns the number of bytes that were written before.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.wr.setDeadline(t)
}
