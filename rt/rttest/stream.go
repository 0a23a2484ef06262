package rttest

import (
	"net/netip"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// A stream is what a socket that is connected to another one has.
type stream struct {
	other   *socket
	arrived []byte // not yet read
	ended   bool   // the other end has said that it is done
	deaf    bool   // shut down for receiving
	mute    bool   // shut down for sending
	buffer  int    // bytes that may be on their way here, or not yet read

	// What this end has sent and has not arrived, in order.
	flying   []segment
	inFlight int           // bytes
	lastAt   time.Duration // when the last one arrives
}

// A segment is a piece of a stream on its way.
type segment struct {
	data  []byte
	fin   bool
	reset bool
	since time.Duration
}

const (
	// patience is how long a host may be cut off before connections fail.
	patience = 15 * time.Minute
	// dialPatience is the same for connections that are being made, as on Linux.
	dialPatience = 127 * time.Second
	// retry is the time after which what did not get through is tried again, at first.
	retry = 200 * time.Millisecond
	// most is the length of a segment.
	most = 4096
)

// room returns how much s may send.
func (s *socket) room() int {
	if s.other == nil {
		return 0
	}
	return max(0, s.other.buffer-s.inFlight-len(s.other.arrived))
}

// quiet reports whether a receive from s would have to wait.
func (s *socket) quiet() bool {
	if s.listens {
		return len(s.backlog) == 0
	}
	return len(s.arrived) == 0 && len(s.queued) == 0 && !s.ended && !s.deaf && !s.failed && s.refused == 0
}

// broken tells an error of s that has not been told.
func (s *socket) broken() (res int32, ok bool) {
	if e := s.refused; e != 0 {
		s.refused = 0
		return -int32(e), true
	}
	return 0, false
}

// portion makes a transfer of at most n bytes shorter, sometimes.
func (w *world) portion(n int) int {
	if n > 1 && !w.config.Network.Whole && w.chance.IntN(3) == 0 {
		return 1 + w.chance.IntN(n)
	}
	return n
}

// receive reads from s.
func (w *world) receive(s *socket, buf []byte) (res int32, ok bool) {
	if len(s.arrived) > 0 {
		n := copy(buf[:w.portion(len(buf))], s.arrived)
		w.consume(s, n)
		return int32(n), true
	}
	if res, ok := s.broken(); ok {
		return res, true
	}
	switch {
	case s.ended, s.deaf, s.failed:
		return 0, true
	case !s.connected && len(s.senders) == 0:
		return -int32(syscall.ENOTCONN), true
	}
	return 0, false
}

// consume takes n bytes out of what has arrived.
func (w *world) consume(s *socket, n int) {
	s.arrived = s.arrived[n:]
	if len(s.arrived) == 0 {
		s.arrived = nil
	}
	if s.other != nil && n > 0 {
		w.serve(s.other)
	}
}

// receiveLent reads from s into a buffer of the driver's.
func (w *world) receiveLent(s *socket, op *driver.Op) (res int32, ok bool) {
	room := w.lender.Room()
	res, ok = w.receive(s, room)
	if ok && res > 0 {
		op.Lent = w.lender.Lend(int(res))
	}
	return res, ok
}

// bring has a RecvMany bring what there is, and reports whether it has ended.
func (w *world) bring(s *socket, op *driver.Op) bool {
	for {
		// A driver may end it when it likes, and has only so many buffers.
		switch w.chance.IntN(40) {
		case 0:
			w.end(op, -int32(syscall.ECANCELED))
			return true
		case 1:
			w.end(op, -int32(syscall.ENOBUFS))
			return true
		}
		room := w.lender.Room()
		res, ok := w.receive(s, room)
		switch {
		case !ok:
			return false
		case res <= 0:
			w.end(op, res)
			return true
		}
		e := ending{op: op, res: res, lent: w.lender.Lend(int(res)), more: true}
		w.done = append(w.done, e)
	}
}

// send writes to s.
func (w *world) send(s *socket, data []byte) (res int32, ok bool) {
	if res, ok := s.broken(); ok {
		return res, true
	}
	switch {
	case s.mute, s.failed:
		return -int32(syscall.EPIPE), true
	case !s.connected:
		return -int32(syscall.ENOTCONN), true
	case len(data) == 0:
		return 0, true
	case w.happens(w.config.Network.Reset):
		w.reset(s)
		if res, ok := s.broken(); ok {
			return res, true
		}
		return -int32(syscall.EPIPE), true // somebody else has been told
	}
	n := min(len(data), s.room())
	if n == 0 {
		return 0, false
	}
	n = w.portion(n)
	w.note(dataSent, w.number(s), n)
	for rest := data[:n]; len(rest) > 0; {
		k := min(len(rest), most)
		w.transmit(s, segment{data: append([]byte(nil), rest[:k]...)})
		rest = rest[k:]
	}
	return int32(n), true
}

// transmit sends a segment from s to the other end.
func (w *world) transmit(s *socket, g segment) {
	g.since = w.now()
	s.flying = append(s.flying, g)
	s.inFlight += len(g.data)
	s.lastAt = max(s.lastAt, w.now()+w.delay())
	w.later(s.lastAt, func() { w.arrive(s, retry) })
}

// arrive has the first segment that s has sent arrive, or tries again later.
func (w *world) arrive(s *socket, again time.Duration) {
	if len(s.flying) == 0 {
		return // lost with the connection
	}
	g, to := s.flying[0], s.other
	if w.parted(s.own, s.peer) {
		if w.now()-g.since > patience {
			w.breakOff(s, syscall.ETIMEDOUT)
			return
		}
		w.later(w.now()+again, func() { w.arrive(s, min(2*again, time.Minute)) })
		return
	}
	s.flying = s.flying[1:]
	s.inFlight -= len(g.data)
	w.note(dataArrived, w.number(to), len(g.data))
	switch {
	case g.reset:
		w.reset(s)
	case to.closed:
		if len(g.data) > 0 {
			w.breakOff(s, syscall.ECONNRESET) // nobody is there any more
		}
	case to.failed:
	case g.fin:
		to.ended = true
		w.serve(to)
	case to.deaf:
		w.serve(s)
	default:
		to.arrived = append(to.arrived, g.data...)
		w.serve(to)
	}
}

// reset breaks a connection at both ends.
func (w *world) reset(s *socket) {
	w.breakOff(s, syscall.ECONNRESET)
	if s.other != nil {
		w.breakOff(s.other, syscall.ECONNRESET)
	}
}

// breakOff has s fail.
func (w *world) breakOff(s *socket, why syscall.Errno) {
	s.flying, s.inFlight = nil, 0
	if s.failed || s.closed {
		return
	}
	w.note(connReset, w.number(s), int(why))
	s.failed, s.refused = true, why
	if s.fd != 0 {
		w.serve(s)
	}
}

// A listener is what a socket has that connections are made to.
type listener struct {
	listens bool
	backlog []*socket
	limit   int
}

func (k sockets) Listen(fd int32, backlog int) syscall.Errno {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sockets[fd]
	switch {
	case s == nil:
		return syscall.EBADF
	case s.typ != syscall.SOCK_STREAM:
		return syscall.EOPNOTSUPP
	case !s.bound:
		if e := w.bind(s, name{addr: netip.AddrPortFrom(netip.IPv4Unspecified(), 0)}); e != 0 {
			return e
		}
	}
	s.listens, s.limit = true, backlog
	return 0
}

// accept takes a connection.
func (w *world) accept(s *socket) (res int32, ok bool) {
	if !s.listens {
		return -int32(syscall.EINVAL), true
	}
	if len(s.backlog) == 0 {
		return 0, false
	}
	c := s.backlog[0]
	s.backlog = s.backlog[1:]
	return w.open(c).fd, true
}

// connect connects s.
func (w *world) connect(s *socket, op *driver.Op) bool {
	to := nameOf(op.Buf).here()
	if s.connected || len(s.senders) > 0 {
		op.Res = -int32(syscall.EISCONN)
		return true
	}
	if !to.local() && s.family == syscall.AF_UNIX || s.family != syscall.AF_UNIX && to.addr.Port() == 0 {
		op.Res = -int32(syscall.ECONNREFUSED)
		return true
	}
	if !s.bound && !to.local() {
		w.bind(s, name{addr: netip.AddrPortFrom(to.toward(), 0)})
	}
	s.peer = to
	if s.typ != syscall.SOCK_STREAM {
		s.connected = true
		op.Res = 0
		return true
	}
	op.State = queuedOp
	s.senders = append(s.senders, op)
	since := w.now()
	w.later(since+w.delay(), func() { w.knock(s, op, since, time.Second) })
	return false
}

// dialing reports whether op still connects s.
func (s *socket) dialing(op *driver.Op) bool {
	return !s.closed && op.State == queuedOp && len(s.senders) > 0 && s.senders[0] == op
}

// knock is a request for a connection that arrives where it was sent to.
func (w *world) knock(s *socket, op *driver.Op, since, again time.Duration) {
	if !s.dialing(op) {
		return
	}
	l := w.at(s.peer, s.typ)
	listens := l != nil && l.listens
	if parted := w.parted(s.own, s.peer); parted || listens && len(l.backlog) >= l.limit {
		if w.now()-since > dialPatience {
			w.answer(s, op, syscall.ETIMEDOUT)
			return
		}
		w.later(w.now()+again, func() { w.knock(s, op, since, 2*again) })
		return
	}
	if !listens {
		why := syscall.ECONNREFUSED
		if l == nil && s.peer.local() && s.peer.path[0] != 0 {
			why = syscall.ENOENT
		}
		w.later(w.now()+w.delay(), func() { w.answer(s, op, why) })
		return
	}
	c := &socket{family: l.family, typ: s.typ, own: s.peer, peer: s.own, connected: true}
	c.other, s.other = s, c
	c.buffer, s.buffer = w.bufferSize(), w.bufferSize()
	l.backlog = append(l.backlog, c)
	w.later(w.now()+w.delay(), func() { w.answer(s, op, 0) })
	w.serve(l)
}

// answer is what comes back to who wants to connect.
func (w *world) answer(s *socket, op *driver.Op, why syscall.Errno) {
	if !s.dialing(op) {
		if s.other != nil {
			w.reset(s.other) // it has given up
		}
		return
	}
	s.senders = s.senders[1:]
	if e := s.refused; e != 0 {
		s.refused, why = 0, e // reset meanwhile
	}
	if why == 0 {
		s.connected = true
	}
	w.end(op, -int32(why))
	w.serve(s)
}

// bufferSize chooses how many bytes of a stream may be on their way.
func (w *world) bufferSize() int {
	if n := w.config.Network.Buffer; n > 0 {
		return n
	}
	return 512 << w.chance.IntN(8)
}
