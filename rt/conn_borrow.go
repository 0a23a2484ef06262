//go:build linux && !cogen_portable

package rt

import (
	"io"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// Borrow waits until something has been received, and lends it: like Read, but
// into a buffer of the runtime's, which is chosen when there are bytes for it. So a
// connection holds no buffer while it waits. The loan is given back with
// [Loan.Return] when its bytes are no longer needed; several can be held at a time.
//
//	got, err := c.Borrow()
//	if err != nil {
//		return err
//	}
//	_, err = c.Write(got.Bytes())
//	got.Return()
//
// At the end of the stream it returns io.EOF. Sockets that keep messages apart have no
// Borrow: it fails with EOPNOTSUPP, as buffers need not be long enough. It can be mixed with Read, but what
// is read past both, through [Conn.SyscallConn], may miss bytes that the
// runtime has received ahead.
func (c *Conn) Borrow() (Loan, error) {
	f := c.BorrowAsync()
	block(f)
	return f.Result()
}

// BorrowAsync is the async form of Borrow.
func (c *Conn) BorrowAsync() *BorrowFuture {
	f := new(BorrowFuture)
	f.Init(c)
	return f
}

// BorrowFuture is a [Conn.Borrow] in progress.
type BorrowFuture struct {
	io   operation
	loan Loan
	err  error
}

// Init makes f a borrowing from c. It may be used again after it has finished.
func (f *BorrowFuture) Init(c *Conn) {
	f.loan, f.err = Loan{}, nil
	f.io.prepare(c.netFD(), driver.RecvLent, nil)
}

// Poll carries the borrowing on.
func (f *BorrowFuture) Poll(cx *Context) bool {
	d := f.io.fd
	if d == nil {
		f.err = syscall.EINVAL
		return true
	}
	if d.net.keepsMessages() {
		f.err = d.opError("read", syscall.EOPNOTSUPP)
		return true
	}
	ended, err := f.io.poll(cx, &d.rd)
	if !ended {
		return false
	}
	if err != nil {
		f.err = d.opError("read", err)
		return true
	}
	was := cx.enter()
	b, res := f.io.lent(cx.worker)
	cx.exit(was)
	f.io.finish(&d.rd)
	switch {
	case res < 0:
		f.err = d.opError("read", resultError("read", res))
	case b == nil:
		f.err = io.EOF
	default:
		f.loan = lend(b)
	}
	return true
}

// lent takes the buffer and the result of a RecvLent that has ended.
func (o *operation) lent(w *worker) (*driver.Buffer, int32) {
	if o.phase == phaseFlowing {
		return o.fd.in.Load().next()
	}
	op := o.op
	b := op.Lent
	op.Lent = nil
	w.ops.put(op)
	o.op = nil
	return b, o.res
}

// Result returns what [Conn.Borrow] returns.
func (f *BorrowFuture) Result() (Loan, error) { return f.loan, f.err }
