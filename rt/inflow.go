//go:build linux && !cogen_portable

package rt

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// inflow receives ahead: one driver operation that brings what arrives on a
// connection, again and again, until it is stopped (rule 6 of package driver). So
// a request costs no submission, and a connection that is idle holds no buffer.
//
// It is bound to a worker while it is running, and reads may come from any. Rules:
//
//	I1. While it runs, it belongs to the thread of its worker; otherwise to the
//	    holder of the receiving side, or to whoever closes the idle descriptor.
//	I2. A holder on another worker's thread has it stopped first (recall).
//	I3. It is stopped when much waits for a reader: then the socket's own buffer
//	    fills, and the sender has to wait.
//	I4. Who starts it looks at closed after that; who closes looks at
//	    worker after that (as F2). The descriptor is not closed while it runs (F4).
type inflow struct {
	op     driver.Op
	fd     *netFD
	worker atomic.Pointer[worker] // whose driver has op; nil while it does not run
	// What has arrived and not been read, linked through Next.
	first, last *driver.Buffer
	recaller    *task  // of another worker, waits for the end (I2)
	waiter      *task  // the task of the side's holder while it waits; on its thread only
	size        int32  // bytes that have arrived
	read        int32  // bytes read of the first
	end         int32  // what the stream has ended with, if over
	pieces      uint16 // buffers that have arrived
	over        bool
	halting     bool // Cancel has been called
}

// How much may wait for a reader, in pieces and in bytes. About as much again can
// come before the kernel knows.
const (
	inflowPieces = 32
	inflowSize   = 64 << 10
)

// pending reports whether there is something to read.
func (in *inflow) pending() bool { return in.first != nil || in.over }

// start has the driver of w receive. It reports false if that driver cannot, or
// the descriptor has been closed.
func (in *inflow) start(w *worker) bool {
	in.op.Code, in.op.FD, in.op.Owner = driver.RecvMany, in.fd.sys, in
	in.halting = false
	in.worker.Store(w)
	if in.fd.closed.Load() { // I4
		in.worker.Store(nil)
		return false
	}
	w.touch()
	if w.drv.Submit(&in.op) {
		in.worker.Store(nil)
		w.noInflow = in.op.Res == -int32(unix.EOPNOTSUPP)
		return false
	}
	return true
}

// Complete takes what the driver has brought. It is called on the thread of the worker.
func (in *inflow) Complete(op *driver.Op) {
	w := in.worker.Load()
	if b := op.Lent; b != nil {
		op.Lent = nil
		in.add(b)
	}
	if in.fd.rd.holder.Load() == w && in.waiter != nil {
		in.waiter.wakeLocal()
	}
	if op.More {
		if in.pieces >= inflowPieces || in.size >= inflowSize {
			in.stop(w)
		}
		return
	}
	if res := op.Res; res <= 0 && res != -int32(unix.ECANCELED) && res != -int32(unix.ENOBUFS) {
		in.over, in.end = true, res
	}
	t := in.recaller
	in.recaller = nil
	in.worker.Store(nil) // from here on it is the holder's
	if t != nil {
		t.wake()
	}
	if in.fd.closed.Load() {
		in.fd.drained()
	}
}

// stop ends the operation, soon. It is called on the thread of w.
func (in *inflow) stop(w *worker) {
	if in.worker.Load() == w && !in.halting {
		in.halting = true
		w.touch()
		w.drv.Cancel(&in.op)
	}
}

// recall has v, whose worker runs it, stop it for t, a task of another worker. It
// reports false if it does not run any more.
func (in *inflow) recall(v *worker, t *task) bool {
	if v.exec(func() {
		if in.worker.Load() != v {
			t.wake() // ended meanwhile
			return
		}
		in.recaller = t
		in.stop(v)
	}) {
		return true
	}
	in.inherit(v)
	return false
}

// next returns the oldest buffer, or the result that the stream has ended with.
func (in *inflow) next() (b *driver.Buffer, res int32) {
	if in.first == nil {
		res = in.end
		if res != 0 {
			// An error is told once; after it the socket says what holds.
			in.over = false
		}
		return nil, res
	}
	b, read := in.first, in.read
	in.drop()
	b.Data = b.Data[read:]
	return b, int32(len(b.Data))
}

// copyTo reads into buf, and returns a result as of a receive.
func (in *inflow) copyTo(buf []byte) int32 {
	n := 0
	for n < len(buf) && in.first != nil {
		b := in.first
		k := copy(buf[n:], b.Data[in.read:])
		n += k
		in.read += int32(k)
		if int(in.read) == len(b.Data) {
			in.drop()
			b.Return(b.Turn())
		}
	}
	if n == 0 {
		_, res := in.next()
		return res
	}
	return int32(n)
}

// add puts b behind what has arrived.
func (in *inflow) add(b *driver.Buffer) {
	if in.first == nil {
		in.first = b
	} else {
		in.last.Next = b
	}
	in.last = b
	in.pieces++
	in.size += int32(len(b.Data))
}

// putBack puts back what its reader does not take, in front of all else. It copies data,
// whose buffer goes its own way.
func (in *inflow) putBack(data []byte) {
	b := new(driver.Shelf).NewBuffer()
	b.Data = append([]byte(nil), data...)
	if in.first == nil {
		in.last = b
	}
	b.Next, in.first = in.first, b
	in.pieces++
	in.size += int32(len(b.Data))
}

// drop takes the oldest buffer out.
func (in *inflow) drop() {
	b := in.first
	in.first, b.Next = b.Next, nil
	in.pieces--
	in.size -= int32(len(b.Data))
	in.read = 0
}

// discard gives back what nobody is going to read.
func (in *inflow) discard() {
	for in.first != nil {
		b := in.first
		in.drop()
		b.Return(b.Turn())
	}
}

// running returns the worker that runs d's inflow, nil if none does.
func (d *netFD) running() *worker {
	if in := d.in.Load(); in != nil {
		return in.worker.Load()
	}
	return nil
}

// stopInflow ends receiving ahead, because the descriptor is closed. It returns the
// inflow's worker if that has ended, nil otherwise.
func (d *netFD) stopInflow() (gone *worker) {
	w := d.running()
	if w == nil {
		return nil
	}
	in := d.in.Load()
	if cx := currentContext(); cx != nil && cx.worker == w {
		if was, ok := cx.thread.tryEnter(); ok {
			defer cx.exit(was)
			if !w.stopping {
				in.stop(w)
				return nil
			}
		}
	}
	if !w.exec(func() { in.stop(w) }) {
		return w
	}
	return nil
}

// inflowAfter is how often in a row the tasks of one worker borrow from a connection
// before that receives ahead. One that seldom has something to say is not worth the memory.
const inflowAfter = 3

// flows reports whether a read of o is to be served by an inflow, which it may start.
// The caller holds the side.
func (o *operation) flows(w *worker) bool {
	d := o.fd
	in := d.in.Load()
	if in != nil && (in.worker.Load() != nil || in.pending()) {
		return true
	}
	if o.code != driver.RecvLent || w.noInflow {
		return false
	}
	// An index does not tell workers of different runtimes apart; that is no matter.
	if d.borrower != uint16(w.index) {
		d.borrower, d.borrowed = uint16(w.index), 0
	}
	if d.borrowed < inflowAfter {
		d.borrowed++
		return false
	}
	if in == nil {
		in = &inflow{fd: d}
		d.in.Store(in)
	}
	return in.start(w)
}

// awaitInflow reports whether the holder has to wait for d's inflow, which is going
// to wake it. If not, the inflow is the holder's to read from.
func (o *operation) awaitInflow(cx *Context, s *side) (waits bool) {
	d, w := o.fd, cx.worker
	in := d.in.Load()
	s.disarm(w)
	in.waiter = nil
	v := in.worker.Load()
	if v == w && o.code == driver.Readable {
		in.stop(w) // o takes what comes next without it
	}
	switch {
	case v == nil, v == w && in.pending(), v != w && !in.recall(v, cx.task):
		return false
	}
	in.waiter = cx.task
	s.arm(d, w)
	return true
}
