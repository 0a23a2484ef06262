//go:build linux

package uring

import (
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/sys/unix"
)

// A BufRing is a group of buffers that the kernel takes from when data arrives
// (IORING_REGISTER_PBUF_RING, Linux 5.19). A receive that names the group instead
// of a buffer ([SQE.SelectBuffer], [SQE.PrepRecvMultishot]) holds none while it
// waits, so a thousand idle connections share a few buffers.
//
// # Who owns a buffer
//
// A buffer is the kernel's from the moment it is provided until a completion
// names it. [BufRing.Take] turns the completion into chunks; their bytes are the
// caller's until it gives the chunk back with [BufRing.Put], and must not be
// touched afterwards. Each chunk is put back once, in any order. When all chunks
// of a buffer are back and the kernel is done with it, Put provides it again.
//
// Every completion with the flag CQEBuffer must go through Take, also those of
// requests that nobody is interested in any more: a cancelled receive may have
// taken a buffer all the same, and it would be lost.
//
// # When there is none left
//
// A receive that finds the group empty completes with -ENOBUFS; a multishot one
// ends by that. Nothing is lost: the data stays in the socket. Submit the receive again
// after a Put or after [BufRing.Grow]; [BufRing.Available] tells whether it would
// find something. The end of a stream needs a buffer too, to be seen.
//
// # Incremental consumption
//
// With Incremental (Linux 6.12) the kernel fills a buffer piece by piece, so that
// short messages share one; without it each message takes a whole buffer. Nothing
// changes for the caller, who gets chunks in either case. But the kernel does not say
// where a piece begins, only the order of completions does, and before Linux 6.16 it
// reported single-shot receives later than multishot ones that came after them. So all
// receives from an incremental group must be of one kind, and their length left open.
//
// A BufRing belongs to the thread that its ring belongs to.
type BufRing struct {
	ring    *Ring
	group   uint16
	inc     bool
	size    int
	entries []bufEntry // shared with the kernel
	mapping []byte

	// tail counts the buffers provided so far; last is the one provided last.
	tail uint16
	last uint16
	free int // wholly or partly the kernel's

	bufs []buffer // by id
}

// buffer is our side of one buffer.
type buffer struct {
	mem []byte
	// next is the buffer that was provided after this one. The kernel takes
	// buffers in that order, which is how a bundle of several is found. It is
	// a list by id, not the ring's entries themselves, because entries are
	// overwritten while buffers taken earlier are still out.
	next uint16
	// chunks is how many chunks are with the caller.
	chunks uint32
	// kernel says that the kernel may still write to it.
	kernel bool
	// used is where the next piece begins.
	used uint32
}

// A Chunk is what one completion has put into one buffer.
type Chunk struct {
	Data []byte // the caller's until Put
	ID   uint16 // the buffer
}

// BufRingConfig says what buffers to make.
type BufRingConfig struct {
	Size        int  // of each buffer, in bytes
	Buffers     int  // how many to start with
	Max         int  // how many there may be after Grow, at most 32768; 0 means Buffers
	Incremental bool // if the kernel can
}

// maxBufRing is the most entries that the kernel accepts.
const maxBufRing = 1 << 15

// NewBufRing makes a group of buffers. Its error wraps errors.ErrUnsupported if
// the kernel has no buffer rings.
//
// The buffers are ordinary Go memory; pages that no data has reached cost nothing.
func (r *Ring) NewBufRing(cfg BufRingConfig) (*BufRing, error) {
	most := max(cfg.Max, cfg.Buffers)
	if cfg.Size <= 0 || cfg.Size > maxTransfer || cfg.Buffers <= 0 || most > maxBufRing {
		return nil, fmt.Errorf("uring: buffer ring of %d to %d buffers of %d bytes: %w", cfg.Buffers, most, cfg.Size, unix.EINVAL)
	}
	entries := 1 << bits.Len(uint(most-1)) // a power of two
	b := &BufRing{ring: r, group: r.freeGroup(), size: cfg.Size, inc: cfg.Incremental}
	if err := b.mapEntries(entries); err != nil {
		return nil, fmt.Errorf("uring: memory for a buffer ring: %w", err)
	}
	errno := b.register()
	if errno == unix.EINVAL && b.inc {
		b.inc = false // before Linux 6.12
		errno = b.register()
	}
	if errno != 0 {
		unix.Munmap(b.mapping)
		if errno == unix.EINVAL {
			errno = unix.ENOSYS // before Linux 5.19
		}
		return nil, fmt.Errorf("uring: io_uring_register(PBUF_RING): %w", errno)
	}
	r.setGroup(b.group, b)
	b.Grow(cfg.Buffers)
	return b, nil
}

// Group is what a receive names the buffers by.
func (b *BufRing) Group() uint16 { return b.group }

// Size is the length of a buffer.
func (b *BufRing) Size() int { return b.size }

// Incremental reports whether the kernel consumes buffers piece by piece.
func (b *BufRing) Incremental() bool { return b.inc }

// Buffers is how many buffers there are, wherever they are.
func (b *BufRing) Buffers() int { return len(b.bufs) }

// Available is how many buffers the kernel can still take from, as far as the
// completions that went through Take tell.
func (b *BufRing) Available() int { return b.free }

// Grow adds up to n buffers and returns how many: fewer when Max is reached.
func (b *BufRing) Grow(n int) int {
	n = min(n, len(b.entries)-len(b.bufs))
	if n <= 0 {
		return 0
	}
	slab := make([]byte, n*b.size)
	for i := range n {
		b.bufs = append(b.bufs, buffer{mem: slab[i*b.size : (i+1)*b.size : (i+1)*b.size]})
		b.provide(uint16(len(b.bufs) - 1))
	}
	b.publish()
	return n
}

// Take appends the chunks that c has brought to dst, in the order of the stream:
// one, or several if the receive was a bundle, or none. It must be called once for
// every completion of a request that uses the group, in the order of completions.
func (b *BufRing) Take(dst []Chunk, c CQE) []Chunk {
	id, ok := c.BufferID()
	if !ok {
		return dst
	}
	for left := int(c.Res); ; {
		buf := b.at(id)
		if !buf.kernel {
			panic(fmt.Sprintf("uring: buffer %d of group %d completed, which is not the kernel's", id, b.group))
		}
		n := 0
		if left > 0 {
			n = min(left, b.size-int(buf.used))
			dst = append(dst, Chunk{Data: buf.mem[buf.used : int(buf.used)+n : int(buf.used)+n], ID: id})
			raceTake(dst[len(dst)-1].Data)
			buf.chunks++
			buf.used += uint32(n)
			left -= n
		}
		// Of several buffers, only the last can have something left.
		if left > 0 || c.Flags&CQEBufMore == 0 {
			buf.kernel = false
			b.free--
			if buf.chunks == 0 {
				b.provide(id)
				b.publish()
				buf = b.at(id)
			}
		}
		if left <= 0 {
			return dst
		}
		if n == 0 {
			panic(fmt.Sprintf("uring: completion of %d bytes is longer than the buffers it has taken from group %d", c.Res, b.group))
		}
		id = buf.next
	}
}

// Put gives a chunk back. A chunk that is put back twice is a panic, if it is
// noticed. After Close Put does nothing.
func (b *BufRing) Put(c Chunk) {
	if b.mapping == nil {
		return
	}
	buf := b.at(c.ID)
	if buf.chunks == 0 {
		panic(fmt.Sprintf("uring: buffer %d of group %d put back twice", c.ID, b.group))
	}
	buf.chunks--
	if buf.chunks == 0 && !buf.kernel {
		b.provide(c.ID)
		b.publish()
	}
}

func (b *BufRing) at(id uint16) *buffer {
	if int(id) >= len(b.bufs) {
		panic(fmt.Sprintf("uring: group %d has no buffer %d", b.group, id))
	}
	return &b.bufs[id]
}

// provide writes the entry that gives buffer id to the kernel. publish shows it.
func (b *BufRing) provide(id uint16) {
	buf := &b.bufs[id]
	buf.kernel, buf.used = true, 0
	b.bufs[b.last].next = id
	b.last = id
	e := &b.entries[int(b.tail)&(len(b.entries)-1)]
	// Field by field: the resv of the first entry is the tail.
	e.addr, e.len, e.bid = address(buf.mem), uint32(b.size), id
	b.tail++
	b.free++
}

// Close takes the buffers away from the kernel. All requests that use the group
// must have ended; the bytes of chunks that are out stay good.
func (b *BufRing) Close() error {
	if b.mapping == nil {
		return nil
	}
	errno := b.unregister()
	b.ring.setGroup(b.group, nil)
	err := b.unmapEntries()
	if errno != 0 {
		err = errors.Join(errno, err)
	}
	if err != nil {
		return fmt.Errorf("uring: close of buffer group %d: %w", b.group, err)
	}
	return nil
}

// freeGroup returns the lowest group that is not in use.
func (r *Ring) freeGroup() uint16 {
	for g, b := range r.groups {
		if b == nil {
			return uint16(g)
		}
	}
	return uint16(len(r.groups))
}

// setGroup notes which buffers the kernel has under group g, and so keeps them
// reachable as long as the ring is.
func (r *Ring) setGroup(g uint16, b *BufRing) {
	if int(g) == len(r.groups) {
		r.groups = append(r.groups, nil)
	}
	r.groups[g] = b
}
