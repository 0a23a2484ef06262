package rt

import "github.com/cogen-go/cogen/rt/driver"

// A Loan is bytes that a connection has received into a buffer of the runtime's.
// The buffer is the borrower's, to read and to write, until it is given back with
// Return. A Loan is a small value that can be copied and passed on; any goroutine
// may give it back, also after the connection has been closed. One that is never
// given back is collected as garbage, at the price of a new buffer for its worker.
//
// The zero Loan has no bytes and need not be given back.
type Loan struct {
	buffer *driver.Buffer
	turn   uint32
}

// lend makes a Loan of a buffer that a driver has handed over.
func lend(b *driver.Buffer) Loan { return Loan{b, b.Turn()} }

// Bytes returns the bytes. They must not be used after Return, and asking for them
// then panics.
func (l Loan) Bytes() []byte {
	if l.buffer == nil {
		return nil
	}
	if l.buffer.Turn() != l.turn {
		panic("rt: use of a loan that has been given back")
	}
	return l.buffer.Data
}

// Return gives the buffer back. It panics if that has been done.
func (l Loan) Return() {
	if l.buffer != nil && !l.buffer.Return(l.turn) {
		panic("rt: loan given back twice")
	}
}
