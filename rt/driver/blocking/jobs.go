package blocking

import "github.com/cogen-go/cogen/rt/driver"

// jobs is a queue of operations from which any can be removed in constant time.
// It lives in a table and links by index, so it allocates only to grow. An
// operation in it has its index in Op.Slot.
//
// Entry 0 is the head of the queue, a circular list. Free entries are in a list
// that is linked by next only.
type jobs struct {
	entries []entry
	free    uint32
}

type entry struct {
	op         *driver.Op // nil in a free entry
	box        *Box
	prev, next uint32
}

func (q *jobs) add(op *driver.Op, box *Box) {
	if q.entries == nil {
		q.entries = make([]entry, 1, 64)
	}
	i := q.free
	if i == 0 {
		i = uint32(len(q.entries))
		q.entries = append(q.entries, entry{})
	} else {
		q.free = q.entries[i].next
	}
	last := q.entries[0].prev
	q.entries[i] = entry{op: op, box: box, prev: last}
	q.entries[last].next = i
	q.entries[0].prev = i
	op.Slot = i
}

// take removes the first operation; nil if there is none.
func (q *jobs) take() (*driver.Op, *Box) {
	if q.entries == nil || q.entries[0].next == 0 {
		return nil, nil
	}
	e := q.entries[q.entries[0].next]
	q.remove(e.op)
	return e.op, e.box
}

// of returns the operations that came from box.
func (q *jobs) of(box *Box) (ops []*driver.Op) {
	if q.entries == nil {
		return nil
	}
	for i := q.entries[0].next; i != 0; i = q.entries[i].next {
		if q.entries[i].box == box {
			ops = append(ops, q.entries[i].op)
		}
	}
	return ops
}

// remove reports whether op was in the queue.
func (q *jobs) remove(op *driver.Op) bool {
	i := op.Slot
	if int(i) >= len(q.entries) || q.entries[i].op != op {
		return false
	}
	e := q.entries[i]
	q.entries[e.prev].next = e.next
	q.entries[e.next].prev = e.prev
	q.entries[i] = entry{next: q.free}
	q.free = i
	return true
}
