//go:build linux

package uring

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// stock is a driver's buffers to lend.
//
// RecvMany takes them from a buffer ring, where the kernel chooses one when it has
// bytes for it. The ring is made when it is first needed, starts small, and grows
// when the kernel finds it empty. With incremental consumption (Linux 6.12) short
// messages share a buffer, so what many connections have received at once lies
// close together and stays in the processor's cache. RecvLent is for what
// happens seldom, and makes the system call itself.
type stock struct {
	ring  *BufRing
	tried bool // ring was made, or could not be
	// headers are free Buffers for chunks of the ring, which come back to shelf.
	headers []*driver.Buffer
	shelf   driver.Shelf
	chunks  []Chunk
	lender  driver.Lender // for RecvLent
}

// The buffers of the ring: shared ones, and such that each take one message. The
// most is 2 MiB, and 8 MiB; the entries count against the memory that may be locked.
var (
	sharedBuffers = BufRingConfig{Size: 32 << 10, Buffers: 4, Max: 64, Incremental: true}
	singleBuffers = BufRingConfig{Size: 4 << 10, Buffers: 16, Max: 2048}
)

// endsNow ends op if it is one that Submit ends.
func (d *Driver) endsNow(op *driver.Op) bool {
	switch op.Code {
	case driver.RecvLent:
		d.lend(op)
		return true
	case driver.RecvMany, driver.AcceptMany:
		// Receives repeat since Linux 6.0, accepts a little longer. Nothing says
		// so, but zero-copy sends came with the same version.
		if !d.ring.Supports(OpSendZC) || op.Code == driver.RecvMany && !d.hasRing() {
			op.Res = -int32(unix.EOPNOTSUPP)
			return true
		}
		if op.Code == driver.RecvMany && d.stock.ring.Available() == 0 && !d.stock.refill() {
			op.Res = -int32(unix.ENOBUFS)
			return true
		}
	}
	return false
}

// lend receives what there is into a buffer of the driver's.
func (d *Driver) lend(op *driver.Op) {
	room := d.stock.lender.Room()
	d.direct++
	n, errno := sysRecvNow(op.FD.Sysfd, room)
	switch {
	case errno != 0:
		op.Res = -int32(errno)
		return
	case n > 0:
		op.Lent = d.stock.lender.Lend(n)
		raceTake(op.Lent.Data)
	}
	op.Res = int32(n)
}

// hasRing reports whether there is a buffer ring. It makes the ring if that has
// not been tried.
func (d *Driver) hasRing() bool {
	s := &d.stock
	if !s.tried {
		s.tried = true
		ring, err := d.ring.NewBufRing(sharedBuffers)
		if err == nil && !ring.Incremental() {
			err = ring.Close()
			if err == nil {
				ring, err = d.ring.NewBufRing(singleBuffers)
			}
		}
		if err == nil {
			s.ring = ring
		}
	}
	return s.ring != nil
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
	s.headers = append(s.headers, b)
}

// refill is called when the kernel finds no buffer. It reports whether it would
// now.
func (s *stock) refill() bool {
	s.restock()
	if s.ring.Available() == 0 {
		s.ring.Grow(s.ring.Buffers())
	}
	return s.ring.Available() > 0
}

// fetch takes what a completion of op has brought besides its result, and returns
// the result that counts.
func (d *Driver) fetch(op *driver.Op, c CQE) int32 {
	switch op.Code {
	case driver.RecvMsg:
		if c.Res >= 0 {
			op.Msg.Received()
		}
	case driver.Readable, driver.Writable:
		return min(c.Res, 0)
	case driver.RecvMany:
		return d.stock.fetch(op, c)
	}
	return c.Res
}

func (s *stock) fetch(op *driver.Op, c CQE) int32 {
	s.chunks = s.ring.Take(s.chunks[:0], c)
	if len(s.chunks) > 0 {
		var b *driver.Buffer
		if n := len(s.headers) - 1; n >= 0 {
			b = s.headers[n]
			s.headers = s.headers[:n]
		} else {
			b = s.shelf.NewBuffer()
		}
		b.Data, b.ID = s.chunks[0].Data, uint32(s.chunks[0].ID)
		op.Lent = b
	}
	if c.Res == -int32(unix.ENOBUFS) && op.State&cancelling == 0 && s.refill() {
		return -int32(unix.EINTR) // once more
	}
	return c.Res
}

// closeStock gives the ring's buffers up. Those that are lent stay good.
func (d *Driver) closeStock() error {
	if d.stock.ring == nil {
		return nil
	}
	return d.stock.ring.Close()
}
