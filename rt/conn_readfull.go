package rt

import "io"

// ReadFull reads exactly len(b) bytes into b. Like [io.ReadFull] it returns
// io.EOF if there are none, and io.ErrUnexpectedEOF if the stream ends amidst
// them.
func (c *Conn) ReadFull(b []byte) (n int, err error) {
	return io.ReadFull(c, b)
}

// ReadFullAsync is the async form of ReadFull. The future owns b until it has
// finished.
func (c *Conn) ReadFullAsync(b []byte) *ReadFullFuture {
	f := new(ReadFullFuture)
	f.Init(c, b)
	return f
}

// ReadFullFuture is a [Conn.ReadFull] in progress.
type ReadFullFuture struct {
	read ReadFuture
	conn *Conn
	buf  []byte
	n    int
	err  error
}

// Init makes f a full read from c into b. It may be used again after it has finished.
func (f *ReadFullFuture) Init(c *Conn, b []byte) {
	f.conn, f.buf, f.n, f.err = c, b, 0, nil
	f.read.Init(c, b)
}

// Poll carries the read on.
func (f *ReadFullFuture) Poll(cx *Context) bool {
	for f.n < len(f.buf) {
		if !f.read.Poll(cx) {
			return false
		}
		n, err := f.read.Result()
		f.n += n
		if err != nil {
			if err == io.EOF && f.n > 0 {
				err = io.ErrUnexpectedEOF
			}
			f.err = err
			break
		}
		f.read.goOn(f.conn, f.buf[f.n:])
	}
	f.buf = nil
	return true
}

// Result returns what [Conn.ReadFull] returns.
func (f *ReadFullFuture) Result() (n int, err error) { return f.n, f.err }

// Cancel implements [Canceler]. The error of a read that was given up is
// [context.Canceled]; Result has the number of bytes read before.
func (f *ReadFullFuture) Cancel(cx *Context) { f.read.Cancel(cx) }

// Canceled implements [Canceler]. It is true only if nothing has been read.
func (f *ReadFullFuture) Canceled() bool { return f.n == 0 && f.read.Canceled() }
