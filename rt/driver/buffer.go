package driver

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/internal/invariants"
)

// Buffer is memory that a driver has received into (rule 7). The submitter of the
// operation may read and write Data until it gives the buffer back with Return.
type Buffer struct {
	// Data is the bytes received. The driver sets it each time.
	Data []byte
	// Next is for a list of the buffer's holder.
	Next *Buffer
	// ID is the driver's.
	ID    uint32
	turn  atomic.Uint32 // one more each time the buffer comes back
	shelf *Shelf
	slab  *slab // a Lender's
}

// Turn tells one lending of the buffer from the next: it changes with Return.
func (b *Buffer) Turn() uint32 { return b.turn.Load() }

// Return gives the buffer back. The turn is that of the lending; if the buffer has
// been given back since, Return does nothing and reports false.
func (b *Buffer) Return(turn uint32) bool {
	if !b.turn.CompareAndSwap(turn, turn+1) {
		return false
	}
	if invariants.Enabled {
		for i := range b.Data {
			b.Data[i] = 0xdb // whoever still reads it is to notice
		}
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
		b.Next = top
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
		next := b.Next
		b.Next = nil
		f(b)
		b = next
	}
}

// A Lender is a stock of buffers for a driver that receives by system calls. The zero
// Lender is empty, and grows as needed. Buffers are cut from slabs to the length of what
// they hold, so that short ones lie close together.
type Lender struct {
	shelf   Shelf
	headers []*Buffer
	current *slab
	free    []*slab
}

type slab struct {
	mem  []byte
	used int
	out  int // buffers that are lent
}

const (
	slabSize = 32 << 10
	// leastRoom is what a receive is given at least.
	leastRoom = 4 << 10
	// freeSlabs and freeHeaders are how many are kept.
	freeSlabs   = 32
	freeHeaders = 1024
	// cut keeps buffers apart in the processor's caches.
	cut = 64
)

// Room returns memory to receive into. It is good until the next call.
func (l *Lender) Room() []byte {
	l.shelf.Take(l.put)
	s := l.current
	if s == nil || len(s.mem)-s.used < leastRoom {
		if n := len(l.free) - 1; n >= 0 {
			s = l.free[n]
			l.free[n] = nil
			l.free = l.free[:n]
		} else {
			s = &slab{mem: make([]byte, slabSize)}
		}
		l.current = s
	}
	return s.mem[s.used:]
}

// Lend makes a buffer of the first n bytes of the room.
func (l *Lender) Lend(n int) *Buffer {
	var b *Buffer
	if k := len(l.headers) - 1; k >= 0 {
		b = l.headers[k]
		l.headers = l.headers[:k]
	} else {
		b = l.shelf.NewBuffer()
	}
	s := l.current
	b.Data, b.slab = s.mem[s.used:s.used+n:s.used+n], s
	s.out++
	s.used = min(s.used+(n+cut-1)/cut*cut, len(s.mem))
	return b
}

// put takes back a buffer from the shelf.
func (l *Lender) put(b *Buffer) {
	s := b.slab
	b.Data, b.slab = nil, nil
	if len(l.headers) < freeHeaders {
		l.headers = append(l.headers, b)
	}
	if s.out--; s.out > 0 {
		return
	}
	s.used = 0
	if s != l.current && len(l.free) < freeSlabs {
		l.free = append(l.free, s)
	}
}
