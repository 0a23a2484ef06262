//go:build linux

package uring

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// How a RecvLent gets its buffer.
//
// The rule is a buffer ring: the kernel takes a buffer when it has bytes for it.
// The ring is made when it is first needed, starts small, and grows when the
// kernel finds it empty, so it is as large as the number of connections
// that had something to say at once, not as the number of connections.
//
// Where there is no buffer ring (before Linux 5.19, or for lack of memory that may be
// locked), or it must not grow any more, the driver waits for readiness by a
// poll and receives into an ordinary buffer, so a receive never waits for a
// buffer that somebody else has.

// The sizes of the buffer ring. The most is 8 MiB of buffers, and 32 KiB that count
// against the memory that may be locked.
const (
	firstBuffers = 16
	mostBuffers  = 2048
)

// stock is a driver's buffers to lend.
type stock struct {
	ring    *BufRing
	tried   bool             // ring was made, or could not be
	buffers []*driver.Buffer // of the ring, by ID
	shelf   driver.Shelf     // what comes back to the ring
	chunks  []Chunk
	lender  driver.Lender // for what does without the ring
}

// repeats reports whether the driver has operations with code c, which repeats.
// Receives repeat since Linux 6.0, accepts a little longer. Nothing says so, but
// zero-copy sends came with the same version.
func (d *Driver) repeats(c driver.Code) bool {
	return d.ring.Supports(OpSendZC) && (c == driver.AcceptMany || d.hasRing())
}

// hasRing reports whether there is a buffer ring. It makes the ring if that has
// not been tried.
func (d *Driver) hasRing() bool {
	s := &d.stock
	if !s.tried {
		s.tried = true
		ring, err := d.ring.NewBufRing(BufRingConfig{Size: driver.BufferSize, Buffers: firstBuffers, Max: mostBuffers})
		if err == nil {
			s.ring = ring
			s.grown()
		}
	}
	return s.ring != nil
}

// grown makes the buffers' other sides after the ring has grown.
func (s *stock) grown() {
	for id := len(s.buffers); id < s.ring.Buffers(); id++ {
		s.buffers = append(s.buffers, s.shelf.NewBuffer(uint32(id)))
	}
}

// restock gives the kernel what has come back.
func (s *stock) restock() {
	if s.ring != nil {
		s.shelf.Take(s.put)
	}
}

func (s *stock) put(b *driver.Buffer) {
	s.ring.Put(Chunk{Data: b.Data, ID: uint16(b.ID)})
	b.Data = nil
}

// refill is called when the kernel has found no buffer. It reports whether it would
// now.
func (s *stock) refill() bool {
	s.restock()
	if s.ring.Available() == 0 {
		s.ring.Grow(s.ring.Buffers())
		s.grown()
	}
	return s.ring.Available() > 0
}

// lend fills the entry of a RecvLent or RecvMany.
func (d *Driver) lend(e *SQE, op *driver.Op) {
	fd := op.FD.Sysfd
	switch {
	case op.State&borrowed != 0:
		// After a poll. Not to wait in the ring with the buffer, if somebody else
		// was faster.
		if op.Lent == nil {
			op.Lent = d.stock.lender.Get()
		}
		e.PrepRecv(fd, op.Lent.Data, unix.MSG_DONTWAIT)
	case op.Code == driver.RecvMany:
		e.PrepRecvMultishot(fd, d.stock.ring.Group(), 0)
		e.IOPrio |= RecvSendPollFirst
	case d.hasRing() && d.stock.ring.Available() > 0:
		e.PrepRecv(fd, nil, 0)
		e.SelectBuffer(d.stock.ring.Group())
		// There is seldom something to receive already, and the first try
		// would want a buffer for it.
		e.IOPrio |= RecvSendPollFirst
	default:
		op.State |= borrowed | polling
		e.PrepPollAdd(fd, unix.POLLIN, 0)
	}
}

// fetch takes the buffer that a completion of op has brought, and returns the
// result that counts.
func (d *Driver) fetch(op *driver.Op, c CQE) int32 {
	s := &d.stock
	res := c.Res
	switch op.Code {
	case driver.RecvMsg:
		if res >= 0 {
			op.Msg.Received()
		}
		return res
	case driver.Readable, driver.Writable:
		return min(res, 0)
	case driver.RecvLent, driver.RecvMany:
	default:
		return res
	}
	if op.State&borrowed != 0 {
		op.State &^= borrowed
		if res > 0 {
			op.Lent.Data = op.Lent.Data[:res]
			raceTake(op.Lent.Data)
		} else if op.Lent != nil {
			s.lender.Put(op.Lent)
			op.Lent = nil
		}
		return res
	}
	if s.ring == nil {
		return res
	}
	s.chunks = s.ring.Take(s.chunks[:0], c)
	if len(s.chunks) > 0 {
		chunk := s.chunks[0]
		b := s.buffers[chunk.ID]
		b.Data = chunk.Data
		op.Lent = b
	}
	if res == -int32(unix.ENOBUFS) {
		if s.refill() || op.Code == driver.RecvLent {
			return -int32(unix.EINTR) // once more, if need be without the ring
		}
		op.State |= cancelling // ends it, by rule 6
		return -int32(unix.ECANCELED)
	}
	return res
}

// closeStock gives the ring's buffers up. Those that are lent stay good.
func (d *Driver) closeStock() error {
	if d.stock.ring == nil {
		return nil
	}
	return d.stock.ring.Close()
}
