//go:build linux

package uring

import "github.com/cogen-go/cogen/rt/driver"

// Every request carries a key as its user_data, and its completions bring the
// key back. A key is never a pointer: what comes back is looked up, and a key
// that is out of date finds nothing.
//
//	63..62  kind
//	61..32  generation of the slot
//	31..0   index of the slot
//
// The slot's generation changes when its operation ends, so a cancellation that
// reaches the kernel late cannot hit the slot's next operation. 30 bits are
// enough: for a generation to come round while one stale key is still queued,
// the slot would have to be used a thousand million times between two system
// calls.
type key uint64

const (
	kindShift = 62
	genShift  = 32
	genMask   = 1<<(kindShift-genShift) - 1

	kindOp     key = 0 << kindShift // a request for the slot's operation
	kindCancel key = 1 << kindShift // a cancellation of that request
	kindWake   key = 2 << kindShift // a wake-up from another thread
	kindMask   key = 3 << kindShift
)

// slotTable maps keys to the operations in flight, and keeps these, and through
// them their buffers and owners, reachable while the kernel works on them.
//
// It grows by chunks that never move, so growing costs no copying however many
// operations there are, and does not shrink. Freed slots form a list.
type slotTable struct {
	chunks []*slotChunk
	free   uint32 // the first free slot plus one, 0 if there is none
}

// slotChunkBits makes a chunk 8 KiB.
const (
	slotChunkBits = 9
	slotChunkSize = 1 << slotChunkBits
)

type slotChunk [slotChunkSize]slot

type slot struct {
	op   *driver.Op // nil in a free slot
	gen  uint32
	next uint32 // in a free slot: like slotTable.free
}

func (t *slotTable) at(i uint32) *slot {
	return &t.chunks[i>>slotChunkBits][i%slotChunkSize]
}

// take finds a slot for op.
func (t *slotTable) take(op *driver.Op) uint32 {
	if t.free == 0 {
		t.grow()
	}
	i := t.free - 1
	s := t.at(i)
	t.free = s.next
	s.op = op
	return i
}

// grow adds a chunk and puts it on the free list, lowest slot first.
func (t *slotTable) grow() {
	base := uint32(len(t.chunks)) << slotChunkBits
	c := new(slotChunk)
	for i := range c[:slotChunkSize-1] {
		c[i].next = base + uint32(i) + 2
	}
	t.chunks = append(t.chunks, c)
	t.free = base + 1
}

// key is the key of the operation that has slot i now.
func (t *slotTable) key(i uint32) key {
	return kindOp | key(t.at(i).gen)<<genShift | key(i)
}

// lookup finds the operation that a key of any kind speaks of, or nil if that
// operation has ended.
func (t *slotTable) lookup(k key) *driver.Op {
	i := uint32(k)
	if int(i>>slotChunkBits) >= len(t.chunks) {
		return nil
	}
	s := t.at(i)
	if s.gen != uint32(k>>genShift)&genMask {
		return nil
	}
	return s.op
}

// release frees slot i and makes its keys stale.
func (t *slotTable) release(i uint32) {
	s := t.at(i)
	s.op = nil
	s.gen = (s.gen + 1) & genMask
	s.next = t.free
	t.free = i + 1
}

// each calls f for every operation in the table. f may release and take slots.
func (t *slotTable) each(f func(*driver.Op)) {
	for _, c := range t.chunks {
		for i := range c {
			if op := c[i].op; op != nil {
				f(op)
			}
		}
	}
}
