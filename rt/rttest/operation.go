package rttest

import (
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
	"github.com/cogen-go/cogen/rt/internal/sim"
)

// lateness is the chance of an operation that could end at once to end a little later,
// as one does that a ring carries out.
const lateness = 0.4

// Submit implements [driver.Driver].
func (w *world) Submit(op *driver.Op) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.Submitted++
	if !w.begin(op) {
		w.flying++
		return false
	}
	w.noteEnd(op, op.Res)
	w.count.Completed++
	return true
}

// begin reports whether op has ended.
func (w *world) begin(op *driver.Op) bool {
	if op.State != idle {
		panic("rttest: operation submitted while it is in flight")
	}
	if w.closed && op.Code != driver.Close {
		op.Res = -int32(syscall.ECANCELED)
		return true
	}
	if op.Code >= driver.Read || op.FD.Sysfd < sim.FirstFD {
		return w.startElsewhere(op)
	}
	if op.Code == driver.Nop {
		op.Res = 0
		return true
	}
	s := w.sockets[op.FD.Sysfd]
	if s == nil {
		op.Res = -int32(syscall.EBADF)
		return true
	}
	switch op.Code {
	case driver.Close:
		w.closeSocket(s)
		op.Res = 0
		return true
	case driver.Connect:
		return w.connect(s, op)
	case driver.AcceptMany:
		op.Res = -int32(syscall.EOPNOTSUPP)
		return true
	case driver.RecvMany:
		op.State = queuedOp
		s.receivers = append(s.receivers, op)
		w.serve(s)
		return false
	case driver.RecvLent:
		if res, ok := w.receiveLent(s, op); ok {
			op.Res = res
		} else {
			op.Res = -int32(syscall.EAGAIN)
		}
		return true
	}
	q := s.queue(op)
	if len(*q) == 0 {
		if res, ok := w.attempt(s, op); ok {
			if !w.happens(lateness) {
				op.Res = res
				return true
			}
			w.end(op, res)
			return false
		}
	}
	op.State = queuedOp
	*q = append(*q, op)
	return false
}

// queue returns the queue in which op waits at s.
func (s *socket) queue(op *driver.Op) *opQueue {
	switch op.Code {
	case driver.Send, driver.SendMsg, driver.Writable, driver.Connect:
		return &s.senders
	}
	return &s.receivers
}

// attempt does op if that is possible now.
func (w *world) attempt(s *socket, op *driver.Op) (res int32, ok bool) {
	stream := s.typ == syscall.SOCK_STREAM
	switch op.Code {
	case driver.Accept:
		return w.accept(s)
	case driver.Readable:
		return 0, !s.quiet()
	case driver.Writable:
		return 0, !stream || s.room() > 0 || s.mute || s.failed || s.refused != 0
	case driver.Recv, driver.RecvMsg:
		if stream {
			return w.receive(s, op.Buf)
		}
		return w.receiveDatagram(s, op)
	case driver.Send:
		if stream {
			return w.send(s, op.Buf)
		}
		return w.sendDatagram(s, s.peer, op.Buf), true
	case driver.SendMsg:
		data := op.Buf
		if data == nil {
			for _, b := range op.Msg.Bufs[:min(len(op.Msg.Bufs), driver.MaxBufs)] {
				data = append(data, b...)
			}
		}
		if stream {
			return w.send(s, data)
		}
		to := s.peer
		if len(op.Msg.Name) > 0 {
			to = nameOf(op.Msg.Name)
		}
		return w.sendDatagram(s, to, data), true
	}
	return -int32(syscall.EOPNOTSUPP), true
}

// serve does what waits at s as far as possible, and then what that makes possible
// elsewhere.
func (w *world) serve(s *socket) {
	w.unserved = append(w.unserved, s)
	if len(w.unserved) > 1 {
		return // it is being done already
	}
	for len(w.unserved) > 0 {
		w.serveQueues(w.unserved[0])
		w.unserved = w.unserved[1:]
	}
}

func (w *world) serveQueues(s *socket) {
	for _, q := range []*opQueue{&s.receivers, &s.senders} {
		for len(*q) > 0 {
			op := (*q)[0]
			if op.Code == driver.Connect {
				break
			}
			if op.Code == driver.RecvMany {
				if w.bring(s, op) {
					*q = (*q)[1:]
					continue
				}
				break
			}
			res, ok := w.attempt(s, op)
			if !ok {
				break
			}
			*q = (*q)[1:]
			w.end(op, res)
		}
	}
}

// Cancel implements [driver.Driver].
func (w *world) Cancel(op *driver.Op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sockets[op.FD.Sysfd]
	if op.State != queuedOp || s == nil {
		return
	}
	w.count.Cancelled++
	if s.queue(op).remove(op) {
		w.end(op, -int32(syscall.ECANCELED))
		w.serve(s)
	}
}

// startElsewhere starts what has nothing to do with sockets. Files are real; their
// operations are done at once, and take some time all the same.
func (w *world) startElsewhere(op *driver.Op) bool {
	switch {
	case op.Code == driver.Call:
		op.State = apart
		go func() {
			blocking.Perform(op)
			w.mu.Lock()
			op.Res = 0
			w.outside = append(w.outside, op)
			w.mu.Unlock()
			w.Wake()
		}()
		return false
	case op.Code < driver.Read && op.Code != driver.Close, op.Code >= driver.Read && op.File.Flags&driver.Stream != 0 && op.Code <= driver.Write:
		op.Res = -int32(syscall.EOPNOTSUPP) // a real thing that can be waited for
		return true
	}
	res := blocking.Perform(op)
	if w.happens(lateness) {
		op.Res = res
		return true
	}
	op.State = endedOp
	w.later(w.now()+w.delay(), func() { w.end(op, res) })
	return false
}
