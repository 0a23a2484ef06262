//go:build !linux || cogen_portable

package rt

import (
	"net"
	"syscall"
)

// WriteBuffers writes the contents of the buffers one after the other, as
// [net.Buffers.WriteTo] does. It takes out of v what has been written.
func (c *Conn) WriteBuffers(v *net.Buffers) (n int64, err error) {
	f := c.WriteBuffersAsync(v)
	if f.err == nil && contextHere() == nil {
		f.work()
	} else {
		block(f)
	}
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
	netJob
	c   *Conn
	v   *net.Buffers
	n   int64
	err error
}

// Init makes f a write of v to c. It may be used again after it has finished.
func (f *WriteBuffersFuture) Init(c *Conn, v *net.Buffers) {
	f.c, f.v, f.n, f.err = c, v, 0, nil
	if !c.ok() {
		f.prepare(nil)
		f.err = syscall.EINVAL
		return
	}
	f.prepare(&c.wr)
}

// Poll carries the write on.
func (f *WriteBuffersFuture) Poll(cx *Context) bool {
	return f.side == nil || f.poll(cx, f, &f.err)
}

func (f *WriteBuffersFuture) work() {
	for {
		var n int64
		n, f.err = f.v.WriteTo(f.c.tcp)
		f.n += n
		if f.err == nil || !f.again(f.err) {
			f.v = nil
			return
		}
	}
}

// Cancel implements [Canceler]. The error of a write that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (f *WriteBuffersFuture) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (f *WriteBuffersFuture) Canceled() bool { return f.n == 0 && f.gaveUp }

// Result returns what [Conn.WriteBuffers] returns.
func (f *WriteBuffersFuture) Result() (n int64, err error) { return f.n, f.err }
