//go:build linux && !cogen_portable

package rt

import "context"

// How operations of sockets are given up: by Cancel, or because the code that they are
// part of is cancelled. An operation in flight is cancelled in the driver and
// waited for, so that its buffer is free when the future has finished.

// reason says why o must not go on, or nil.
func (o *operation) reason(cx *Context) error {
	if err := cx.canceled(); err != nil || !o.canceled {
		return err
	}
	return context.Canceled
}

// giveUp ends o, which does not hold its side.
func (o *operation) giveUp(err error) (bool, error) {
	o.gaveUp = true
	o.buf = nil // the caller's memory is the caller's again
	return true, err
}

// Cancel implements [Canceler]. A read that was given up has read nothing, and its
// error is [context.Canceled].
func (f *ReadFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *ReadFuture) Canceled() bool { return f.io.gaveUp }

// Cancel implements [Canceler]. The error of a write that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (f *WriteFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (f *WriteFuture) Canceled() bool { return f.n == 0 && f.io.gaveUp }

// Cancel implements [Canceler]. An accept that was given up has left the connection
// to the next; its error is [context.Canceled].
func (f *AcceptConnFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *AcceptConnFuture) Canceled() bool { return f.io.gaveUp }

// Cancel implements [Canceler]. A dial that was given up has no connection.
func (f *dialing) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler].
func (f *dialing) Canceled() bool { return f.reason != nil && f.conn == nil }

// look finds out whether f must give up.
func (f *dialing) look(cx *Context) {
	if f.reason != nil {
		return
	}
	if f.reason = cx.canceled(); f.reason == nil && f.canceled {
		f.reason = context.Canceled
	}
	if f.reason == nil {
		return
	}
	switch f.phase {
	case dialLookup:
		f.end()
	case dialConnect:
		f.io.canceled = true
	}
}

// Cancel implements [Canceler]. A borrowing that was given up has taken nothing, and
// its error is [context.Canceled].
func (f *BorrowFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *BorrowFuture) Canceled() bool { return f.io.gaveUp }
