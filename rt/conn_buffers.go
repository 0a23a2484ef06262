//go:build linux && !cogen_portable

package rt

import (
	"io"
	"net"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// WriteBuffers writes the contents of the buffers one after the other, with as few
// transfers as the kernel allows, as [net.Buffers.WriteTo] does for package net's
// connections. It takes out of v what has been written.
func (c *Conn) WriteBuffers(v *net.Buffers) (n int64, err error) {
	f := c.WriteBuffersAsync(v)
	block(f)
	return f.Result()
}

// WriteBuffersAsync is the async form of WriteBuffers. The future owns v and the
// buffers until it has finished.
func (c *Conn) WriteBuffersAsync(v *net.Buffers) *WriteBuffersFuture {
	f := new(WriteBuffersFuture)
	f.Init(c, v)
	return f
}

// WriteBuffersFuture is a [Conn.WriteBuffers] in progress.
type WriteBuffersFuture struct {
	io  operation
	op  driver.Op
	msg driver.Msg
	v   *net.Buffers
	n   int64
	err error
}

// Init makes f a write of v to c. It may be used again after it has finished.
func (f *WriteBuffersFuture) Init(c *Conn, v *net.Buffers) {
	f.v, f.n, f.err = v, 0, nil
	f.io.prepare(c.netFD(), driver.SendMsg, nil)
	f.op.Msg = &f.msg
	f.io.op = &f.op
}

// Poll carries the write on.
func (f *WriteBuffersFuture) Poll(cx *Context) bool {
	d := f.io.fd
	if d == nil {
		f.err = syscall.EINVAL
		return true
	}
	for {
		if f.io.phase == phaseIdle || f.io.phase == phaseHolding {
			f.choose()
		}
		ended, err := f.io.poll(cx, &d.wr)
		if !ended {
			return false
		}
		if err != nil {
			f.err = d.opError("write", err)
			break
		}
		res := f.io.res
		switch {
		case res < 0:
			f.err = d.opError("write", resultError("writev", res))
		case res == 0 && left(*f.v) > 0:
			f.err = d.opError("write", io.ErrUnexpectedEOF)
		default:
			f.n += int64(res)
			take(f.v, int(res))
			if len(*f.v) > 0 {
				continue
			}
		}
		f.io.finish(&d.wr)
		break
	}
	f.msg.Release()
	f.msg.Bufs, f.v = nil, nil
	return true
}

// choose sets what the next transfer moves.
func (f *WriteBuffersFuture) choose() {
	take(f.v, 0)
	f.msg.Bufs = *f.v
	size := 0
	for i, b := range f.msg.Bufs {
		if size += len(b); size > maxTransfer && i > 0 {
			f.msg.Bufs = f.msg.Bufs[:i]
			return
		}
	}
}

// left is the number of bytes in v.
func left(v net.Buffers) (n int) {
	for _, b := range v {
		n += len(b)
	}
	return n
}

// take removes n bytes from the front of v, and empty buffers there.
func take(v *net.Buffers, n int) {
	for len(*v) > 0 {
		b := (*v)[0]
		if len(b) > n {
			(*v)[0] = b[n:]
			return
		}
		n -= len(b)
		(*v)[0] = nil
		*v = (*v)[1:]
	}
}

// Cancel implements [Canceler]. The error of a write that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (f *WriteBuffersFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (f *WriteBuffersFuture) Canceled() bool { return f.n == 0 && f.io.gaveUp }

// Result returns what [Conn.WriteBuffers] returns.
func (f *WriteBuffersFuture) Result() (n int64, err error) { return f.n, f.err }
