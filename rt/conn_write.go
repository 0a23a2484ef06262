//go:build linux && !cogen_portable

package rt

import (
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Write writes all of b, or returns the number of bytes written and why it
// stopped. What one call writes is not interleaved with what another does.
func (c *Conn) Write(b []byte) (int, error) {
	f := writeFutures.Get().(*WriteFuture)
	f.Init(c, b)
	if !c.ok() || currentContext() != nil || !f.writeNow() {
		block(f)
	}
	n, err := f.Result()
	writeFutures.Put(f)
	return n, err
}

// writeFutures keeps the futures of plain writes; see readFutures.
var writeFutures = sync.Pool{New: func() any { return new(WriteFuture) }}

// writeNow writes as much as goes without waiting, on an ordinary goroutine. It
// returns false if f must be polled for the rest; f keeps its side then, so that
// no other write comes between.
func (f *WriteFuture) writeNow() (done bool) {
	d := f.io.fd
	s := &d.wr
	if !s.take(offWorker) {
		return false
	}
	for {
		if err := d.usable(s); err != nil {
			f.io.finish(s)
			f.err = d.opError("write", err)
			return true
		}
		n, errno := sendNow(d.sys.Sysfd, f.io.buf)
		if errno == unix.EAGAIN {
			f.io.phase = phaseHanded
			return false
		}
		if !f.wrote(n, errno) {
			f.io.finish(s)
			return true
		}
	}
}

// WriteAsync is the async form of Write. The future owns b until it has finished.
func (c *Conn) WriteAsync(b []byte) *WriteFuture {
	f := new(WriteFuture)
	f.Init(c, b)
	return f
}

// WriteFuture is a [Conn.Write] in progress.
type WriteFuture struct {
	io  operation // buf is the rest, as far as one operation goes, with all of it as capacity
	n   int
	err error
}

// Init makes f a write of b to c. It may be used again after it has finished.
func (f *WriteFuture) Init(c *Conn, b []byte) {
	f.n, f.err = 0, nil
	f.io.prepare(c.netFD(), driver.Send, transfer(b[:len(b):len(b)]))
}

// Poll carries the write on.
func (f *WriteFuture) Poll(cx *Context) bool {
	d := f.io.fd
	if d == nil {
		f.err = syscall.EINVAL
		return true
	}
	for {
		ended, err := f.io.poll(cx, &d.wr)
		if !ended {
			return false
		}
		if err != nil {
			f.err = d.opError("write", err)
			return true
		}
		n, errno := int(f.io.res), syscall.Errno(0)
		if n < 0 {
			n, errno = 0, syscall.Errno(-n)
		}
		if !f.wrote(n, errno) {
			f.io.finish(&d.wr)
			return true
		}
	}
}

// wrote accounts for n bytes sent, or an error. It reports whether there is more
// to send.
func (f *WriteFuture) wrote(n int, errno syscall.Errno) (more bool) {
	if errno != 0 {
		f.err = f.io.fd.opError("write", resultError("write", -int32(errno)))
		return false
	}
	f.n += n
	left := f.io.buf[n:cap(f.io.buf)]
	if len(left) == 0 {
		return false
	}
	if n == 0 {
		f.err = f.io.fd.opError("write", io.ErrUnexpectedEOF)
		return false
	}
	f.io.buf = transfer(left)
	return true
}

// Result returns what [Conn.Write] returns.
func (f *WriteFuture) Result() (n int, err error) { return f.n, f.err }
