//go:build linux && !cogen_portable

package rt

import (
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Read reads at most len(b) bytes into b, waiting until there is at least one.
// At the end of the stream it returns 0 and io.EOF.
func (c *Conn) Read(b []byte) (int, error) {
	if c.ok() && currentContext() == nil {
		if n, err, done := c.readNow(b); done {
			return n, err
		}
	}
	f := readFutures.Get().(*ReadFuture)
	f.Init(c, b)
	block(f)
	n, err := f.Result()
	readFutures.Put(f)
	return n, err
}

// readFutures keeps the futures of plain reads. One that has finished is not
// referred to by anything, and refers to no memory of its caller.
var readFutures = sync.Pool{New: func() any { return new(ReadFuture) }}

// readNow reads without waiting. It returns done false if it would have to.
func (c *Conn) readNow(b []byte) (n int, err error, done bool) {
	d := &c.fd
	s := &d.rd
	if !s.take(offWorker) {
		return 0, nil, false
	}
	if err := readable(d, b); err != nil {
		d.release(s)
		return 0, d.opError("read", err), true
	}
	if len(b) == 0 {
		d.release(s)
		return 0, nil, true
	}
	if d.in.Load() != nil {
		d.release(s) // what comes next may have been received already
		return 0, nil, false
	}
	n, errno := recvNow(d.sys.Sysfd, b)
	d.release(s)
	if errno == unix.EAGAIN {
		return 0, nil, false
	}
	if errno != 0 {
		return 0, d.opError("read", resultError("read", -int32(errno))), true
	}
	if n == 0 && d.ends() {
		return 0, io.EOF, true
	}
	return n, nil, true
}

// readable is usable for reads. An empty read does not look at the deadline, as
// in package net.
func readable(d *netFD, b []byte) error {
	if len(b) == 0 && !d.closed.Load() {
		return nil
	}
	return d.usable(&d.rd)
}

// ends reports whether nothing received means the end of the stream, and not an empty
// datagram.
func (d *netFD) ends() bool { return !d.net.keepsMessages() || d.net == unixPacket }

// ReadAsync is the async form of Read. The future owns b until it has finished.
func (c *Conn) ReadAsync(b []byte) *ReadFuture {
	f := new(ReadFuture)
	f.Init(c, b)
	return f
}

// ReadFuture is a [Conn.Read] in progress.
type ReadFuture struct {
	io  operation
	err error
}

// Init makes f a read from c into b. It may be used again after it has finished.
func (f *ReadFuture) Init(c *Conn, b []byte) {
	f.err = nil
	f.io.prepare(c.netFD(), driver.Recv, transfer(b))
}

// goOn is Init for the rest of a longer read: if that is to be given up, it stays so.
func (f *ReadFuture) goOn(c *Conn, b []byte) {
	canceled := f.io.canceled
	f.Init(c, b)
	f.io.canceled = canceled
}

// Poll carries the read on.
func (f *ReadFuture) Poll(cx *Context) bool {
	d := f.io.fd
	if f.io.phase == phaseIdle {
		if d == nil {
			f.err = syscall.EINVAL
			return true
		}
		if len(f.io.buf) == 0 {
			if err := readable(d, nil); err != nil {
				f.err = d.opError("read", err)
			}
			return true
		}
	}
	ended, err := f.io.poll(cx, &d.rd)
	if !ended {
		return false
	}
	if err != nil {
		f.io.res = 0
		f.err = d.opError("read", err)
		return true
	}
	if f.io.phase == phaseFlowing {
		was := cx.enter()
		f.io.res = d.in.Load().copyTo(f.io.buf)
		cx.exit(was)
	}
	f.io.finish(&d.rd)
	switch res := f.io.res; {
	case res < 0:
		f.io.res = 0
		f.err = d.opError("read", resultError("read", res))
	case res == 0 && d.ends():
		f.err = io.EOF
	}
	return true
}

// Result returns what [Conn.Read] returns.
func (f *ReadFuture) Result() (n int, err error) { return int(f.io.res), f.err }
