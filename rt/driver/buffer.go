package driver

import "sync/atomic"

// BufferSize is the size of a Lender's buffers.
const BufferSize = 4 << 10

// Buffer is memory that a driver has received into (rule 7). The submitter of the
// operation may read and write Data until it gives the buffer back with Return.
type Buffer struct {
	// Data is the bytes received. The driver sets it each time.
	Data []byte
	// ID is the driver's.
	ID    uint32
	turn  atomic.Uint32 // one more each time the buffer comes back
	next  *Buffer       // on the shelf
	shelf *Shelf
}

// Turn tells one lending of the buffer from the next: it changes with Return.
func (b *Buffer) Turn() uint32 { return b.turn.Load() }

// Return gives the buffer back. The turn is that of the lending; if the buffer has
// been given back since, Return does nothing and reports false.
func (b *Buffer) Return(turn uint32) bool {
	if !b.turn.CompareAndSwap(turn, turn+1) {
		return false
	}
	b.shelf.push(b)
	return true
}

// A Shelf is where the buffers of a driver come back to, from any thread, until
// the driver's takes them. The zero Shelf is empty.
type Shelf struct {
	top atomic.Pointer[Buffer]
}

// NewBuffer returns a buffer without memory that comes back to s.
func (s *Shelf) NewBuffer() *Buffer { return &Buffer{shelf: s} }

func (s *Shelf) push(b *Buffer) {
	for {
		top := s.top.Load()
		b.next = top
		// Only Take removes buffers, and all of them, so a top that is the same
		// has the same below it.
		if s.top.CompareAndSwap(top, b) {
			return
		}
	}
}

// Take calls f for every buffer that has come back since it was called last, the
// latest first. It is called by one thread at a time.
func (s *Shelf) Take(f func(*Buffer)) {
	if s.top.Load() == nil {
		return
	}
	for b := s.top.Swap(nil); b != nil; {
		next := b.next
		b.next = nil
		f(b)
		b = next
	}
}

// A Lender is a stock of buffers for a driver that chooses them itself. The zero
// Lender is empty, and grows as needed.
type Lender struct {
	shelf Shelf
	free  []*Buffer
}

// freeBuffers is how many free buffers a Lender keeps.
const freeBuffers = 256

// Get returns a buffer with room for BufferSize bytes in Data.
func (l *Lender) Get() *Buffer {
	if len(l.free) == 0 {
		l.shelf.Take(l.Put)
	}
	if n := len(l.free) - 1; n >= 0 {
		b := l.free[n]
		l.free[n] = nil
		l.free = l.free[:n]
		return b
	}
	b := l.shelf.NewBuffer()
	b.Data = make([]byte, BufferSize)
	return b
}

// Put takes back a buffer that has not been lent.
func (l *Lender) Put(b *Buffer) {
	if len(l.free) < freeBuffers {
		b.Data = b.Data[:BufferSize]
		l.free = append(l.free, b)
	}
}
