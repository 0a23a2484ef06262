//go:build linux

package epoll

import "github.com/cogen-go/cogen/rt/driver"

// queue is a FIFO of operations, linked through Op.Next.
type queue struct {
	head, tail *driver.Op
}

func (q *queue) push(op *driver.Op) {
	op.Next = nil
	if q.tail == nil {
		q.head = op
	} else {
		q.tail.Next = op
	}
	q.tail = op
}

// pop takes the first operation; the queue must not be empty.
func (q *queue) pop() *driver.Op {
	op := q.head
	q.head = op.Next
	if q.head == nil {
		q.tail = nil
	}
	op.Next = nil
	return op
}

// remove takes op out, wherever it stands. It reports whether op was found.
func (q *queue) remove(op *driver.Op) bool {
	var before *driver.Op
	for o := q.head; o != nil; before, o = o, o.Next {
		if o != op {
			continue
		}
		if before == nil {
			q.head = op.Next
		} else {
			before.Next = op.Next
		}
		if q.tail == op {
			q.tail = before
		}
		op.Next = nil
		return true
	}
	return false
}

// flags say what is known about a descriptor.
type flags uint8

const (
	// watched: the descriptor is in the set, under the entry's generation.
	watched flags = 1 << iota
	// inBlocked and outBlocked: the direction has nothing to give, and an edge
	// will be reported when that changes (E1).
	inBlocked
	outBlocked
	// draining: a Recv that fills only a part of its buffer has emptied the
	// socket, so that the next Recv need not be tried. This holds for TCP
	// while the peer has neither closed nor sent urgent data.
	draining
	// unblocked: the descriptor is known to be non-blocking.
	unblocked
	// scheduled: the entry is on the driver's list of descriptors with work left.
	scheduled
)

// desc is the driver's entry for one descriptor number. It never moves.
type desc struct {
	id      uint64 // FD.ID of the opening that the entry describes
	in, out queue  // what waits to read or accept; to write or connect
	next    *desc  // in the driver's list of descriptors with work left
	fd      int32
	gen     uint32 // E2
	flags   flags
}

// pageSize is the number of entries in a page of the table: 4 KiB of them.
const pageSize = 64

// table holds entries by descriptor number. It grows by pages, so that entries
// do not move and a driver with few descriptors stays small.
type table struct {
	pages []*[pageSize]desc
}

// at returns the entry for fd, or nil if there has never been one.
func (t *table) at(fd int32) *desc {
	if p := uint(fd) / pageSize; fd >= 0 && p < uint(len(t.pages)) && t.pages[p] != nil {
		return &t.pages[p][fd%pageSize]
	}
	return nil
}

// ensure returns the entry for fd, making it if need be.
func (t *table) ensure(fd int32) *desc {
	if e := t.at(fd); e != nil {
		return e
	}
	p := int(fd / pageSize)
	for len(t.pages) <= p {
		t.pages = append(t.pages, nil)
	}
	t.pages[p] = new([pageSize]desc)
	return &t.pages[p][fd%pageSize]
}
