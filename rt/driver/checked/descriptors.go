//go:build linux

package checked

import (
	"fmt"
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
)

// What descriptors stand for, in the whole process. The kernel uses a number again as
// soon as it has been closed, so a descriptor may be closed only when nothing in flight
// names it; else an operation would reach whatever is opened next.

// tracked is how many numbers are watched. Others are not checked.
const tracked = 1 << 16

var descriptors [tracked]struct {
	id     atomic.Uint64 // of the last opening that was told
	flying atomic.Int64  // operations that name the number
}

// unwinding is the number of workers that are ending. What their tasks close then
// may have operations in flight, which cannot be waited for.
var unwinding atomic.Int64

// Unwind is called when a worker begins to unwind its tasks, and the function that it
// returns when the worker's driver has been closed.
func Unwind() (done func()) {
	unwinding.Add(1)
	return func() { unwinding.Add(-1) }
}

// Opened is told about every descriptor before there are operations on it.
func Opened(fd driver.FD) {
	if fd.Sysfd < 0 || fd.Sysfd >= tracked {
		return
	}
	e := &descriptors[fd.Sysfd]
	if n := e.flying.Load(); n != 0 && unwinding.Load() == 0 {
		panic(fmt.Sprintf("descriptor %d means another opening (%d, was %d) while %d operations are in flight on it",
			fd.Sysfd, fd.ID, e.id.Load(), n))
	}
	e.id.Store(fd.ID)
}

// watched reports whether op reaches a descriptor that is watched. A Close ends after the
// number has come free, so it does not count.
func watched(op *driver.Op) bool {
	return op.FD.ID != 0 && op.FD.Sysfd >= 0 && op.FD.Sysfd < tracked && op.Code != driver.Close
}

// board counts op in.
func board(op *driver.Op) {
	if !watched(op) {
		return
	}
	e := &descriptors[op.FD.Sysfd]
	e.flying.Add(1)
	if id := e.id.Load(); id != op.FD.ID {
		panic(fmt.Sprintf("operation %d on descriptor %d, which is not opening %d any more but %d", op.Code, op.FD.Sysfd, op.FD.ID, id))
	}
}

// unboard counts op out.
func unboard(op *driver.Op) {
	if watched(op) {
		descriptors[op.FD.Sysfd].flying.Add(-1)
	}
}
