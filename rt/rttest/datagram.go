package rttest

import (
	"net/netip"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// datagrams are what a datagram socket has received.
type datagrams struct{ queued []datagram }

type datagram struct {
	from name
	data []byte
}

const (
	mostQueued   = 64    // datagrams at a socket; more are lost
	mostDatagram = 65507 // bytes
	truncated    = 0x20  // Linux's MSG_TRUNC
)

// sendDatagram sends data to a socket.
func (w *world) sendDatagram(s *socket, to name, data []byte) int32 {
	if res, ok := s.broken(); ok {
		return res
	}
	to = to.here()
	switch {
	case s.mute:
		return -int32(syscall.EPIPE)
	case !to.addr.IsValid():
		return -int32(syscall.EDESTADDRREQ)
	case len(data) > mostDatagram:
		return -int32(syscall.EMSGSIZE)
	}
	if !s.bound {
		w.bind(s, name{addr: netip.AddrPortFrom(to.toward(), 0)})
	}
	from := s.own
	if from.wild() {
		from.addr = netip.AddrPortFrom(to.toward(), from.addr.Port())
	}
	w.note(dataSent, w.number(s), len(data))
	copies := 1
	if w.happens(w.config.Network.Loss) || w.parted(from, to) {
		copies = 0
	} else if w.happens(w.config.Network.Duplicate) {
		copies = 2
	}
	for range copies {
		d := datagram{from, append([]byte(nil), data...)}
		w.later(w.now()+w.delay(), func() { w.arriveDatagram(s, to, d) })
	}
	return int32(len(data))
}

// arriveDatagram has d arrive.
func (w *world) arriveDatagram(sender *socket, to name, d datagram) {
	s := w.at(to, syscall.SOCK_DGRAM)
	switch {
	case w.parted(d.from, to):
	case s == nil:
		if sender.connected && !sender.closed {
			sender.refused = syscall.ECONNREFUSED
			w.serve(sender)
		}
	case s.connected && s.peer != d.from, len(s.queued) >= mostQueued, s.deaf:
	default:
		w.note(dataArrived, w.number(s), len(d.data))
		s.queued = append(s.queued, d)
		w.serve(s)
	}
}

// receiveDatagram reads from s.
func (w *world) receiveDatagram(s *socket, op *driver.Op) (res int32, ok bool) {
	if res, ok := s.broken(); ok {
		return res, true
	}
	if len(s.queued) == 0 {
		return 0, s.deaf
	}
	d := s.queued[0]
	s.queued = s.queued[1:]
	n := copy(op.Buf, d.data)
	if m := op.Msg; m != nil {
		m.Flags, m.ControlLen = 0, 0
		if n < len(d.data) {
			m.Flags = truncated
		}
		m.NameLen = 0
		if len(m.Name) > 0 {
			m.NameLen = min(d.from.encode(s.family, m.Name), len(m.Name))
		}
	}
	return int32(n), true
}
