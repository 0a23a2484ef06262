//go:build !linux || cogen_portable

package rt

import "github.com/cogen-go/cogen/rt/driver"

// Borrow waits until something has been received, and lends it: like Read, but
// into a buffer of the runtime's. The loan is given back with [Loan.Return] when its
// bytes are no longer needed; several can be held at a time. At the end of the
// stream it returns io.EOF.
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

// borrowSize is the size of a buffer that is lent.
const borrowSize = 4 << 10

// BorrowFuture is a [Conn.Borrow] in progress.
type BorrowFuture struct {
	read ReadFuture
	b    []byte
	loan Loan
}

// Init makes f a loan of what c receives. It may be used again after it has finished.
func (f *BorrowFuture) Init(c *Conn) {
	f.b, f.loan = make([]byte, borrowSize), Loan{}
	f.read.Init(c, f.b)
}

// Poll carries the receive on.
func (f *BorrowFuture) Poll(cx *Context) bool {
	if !f.read.Poll(cx) {
		return false
	}
	if n, _ := f.read.Result(); n > 0 {
		// It comes back to a shelf of its own, and both are left to the collector.
		b := new(driver.Shelf).NewBuffer()
		b.Data = f.b[:n]
		f.loan = lend(b)
	}
	f.b = nil
	return true
}

// Result returns what [Conn.Borrow] returns.
func (f *BorrowFuture) Result() (Loan, error) {
	_, err := f.read.Result()
	return f.loan, err
}

// Cancel implements [Canceler]. If it was given up, nothing was received.
func (f *BorrowFuture) Cancel(cx *Context) { f.read.Cancel(cx) }

// Canceled implements [Canceler].
func (f *BorrowFuture) Canceled() bool { return f.read.Canceled() }
