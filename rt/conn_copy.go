package rt

import (
	"io"
	"syscall"
)

// ReadFrom writes to the connection what r has left, until the end of r, as
// [net.TCPConn.ReadFrom] does. If r is a stream's [Conn] or a [File], or an
// [io.LimitedReader] of one, the bytes do not pass through memory of the process: the kernel
// moves them (splice and sendfile). Otherwise they are copied.
//
// What is written in one go is not interleaved with what others write, but there is no
// telling where one goes ends. When it fails, what was read from r and not written is lost.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	f := c.ReadFromAsync(r)
	if f.kernel == nil && f.err == nil {
		return f.copy() // r may block the goroutine, so it has to be this one
	}
	block(f)
	return f.Result()
}

// ReadFromAsync is the async form of ReadFrom. An r that is neither a Conn nor a File is
// read in plain form.
func (c *Conn) ReadFromAsync(r io.Reader) *CopyFuture {
	f := new(CopyFuture)
	f.init(c, r)
	return f
}

// WriteTo writes to w what the connection receives, until the end of the stream, as
// [net.TCPConn.WriteTo] does. If w is a stream's [Conn] the kernel moves the bytes; see
// ReadFrom.
func (c *Conn) WriteTo(w io.Writer) (n int64, err error) {
	f := c.WriteToAsync(w)
	if f.kernel == nil && f.err == nil {
		return f.copy()
	}
	block(f)
	return f.Result()
}

// WriteToAsync is the async form of WriteTo.
func (c *Conn) WriteToAsync(w io.Writer) *CopyFuture {
	f := new(CopyFuture)
	if dst, ok := w.(*Conn); ok {
		f.init(dst, c)
		return f
	}
	f.from, f.to = onlyReader{c}, w
	if !c.ok() {
		f.err = syscall.EINVAL
	}
	return f
}

// CopyFuture is a [Conn.ReadFrom] or [Conn.WriteTo] in progress.
type CopyFuture struct {
	kernel kernelCopy // nil if the bytes have to be copied
	from   io.Reader
	to     io.Writer
	limit  *io.LimitedReader // to be told how much was read; nil if there is none
	n      int64
	err    error
}

// A kernelCopy has the kernel move bytes.
type kernelCopy interface {
	// poll carries it on. It sets moved and err before it returns true.
	poll(cx *Context) bool
	cancel()
	// result returns the number of bytes, and why it stopped. If the kernel does not do it
	// between such descriptors, refused is set, and the rest has to be copied.
	result() (n int64, refused bool, err error)
}

// unlimited stands for a copy to the end of its source.
const unlimited = 1<<63 - 1

// init makes f a copy from r to c.
func (f *CopyFuture) init(c *Conn, r io.Reader) {
	f.from, f.to = r, onlyWriter{c}
	if !c.ok() {
		f.err = syscall.EINVAL
		return
	}
	left := int64(unlimited)
	if l, ok := r.(*io.LimitedReader); ok {
		f.limit, left = l, max(l.N, 0)
		r = l.R
	}
	switch src := r.(type) {
	case *Conn:
		f.from = onlyReader{src}
	case *File:
		f.from = plainReader{src}
	default:
		f.limit = nil // it counts by itself
		return
	}
	f.kernel = inKernel(c, r, left)
	if f.limit != nil {
		f.from = &io.LimitedReader{R: f.from, N: left}
	}
}

// Poll carries the copy on.
func (f *CopyFuture) Poll(cx *Context) bool {
	if f.err != nil {
		return true
	}
	if f.kernel == nil {
		f.copy()
		return true
	}
	if !f.kernel.poll(cx) {
		return false
	}
	n, refused, err := f.kernel.result()
	f.n, f.err = n, err
	if f.limit != nil {
		f.limit.N -= n
	}
	if refused {
		if l, ok := f.from.(*io.LimitedReader); ok {
			l.N -= n
		}
		f.copy()
	}
	return true
}

// copy copies what is left through memory, in plain form.
func (f *CopyFuture) copy() (int64, error) {
	var n int64
	n, f.err = io.Copy(f.to, f.from)
	f.n += n
	if f.limit != nil {
		f.limit.N -= n
	}
	return f.n, f.err
}

// Cancel implements [Canceler]. The error of a copy that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (f *CopyFuture) Cancel(*Context) {
	if f.kernel != nil {
		f.kernel.cancel()
	}
}

// Canceled implements [Canceler]. It is never true, as bytes may be lost.
func (f *CopyFuture) Canceled() bool { return false }

// Result returns what [Conn.ReadFrom] returns.
func (f *CopyFuture) Result() (n int64, err error) { return f.n, f.err }

// onlyReader and onlyWriter hide what io.Copy would call again.
type (
	onlyReader struct{ c *Conn }
	onlyWriter struct{ c *Conn }
)

func (o onlyReader) Read(b []byte) (int, error)  { return o.c.Read(b) }
func (o onlyWriter) Write(b []byte) (int, error) { return o.c.Write(b) }
