package rttest

import (
	"maps"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// A socket is one of the simulated world's.
type socket struct {
	fd          int32
	family, typ int
	own, peer   name
	bound       bool
	connected   bool
	closed      bool

	receivers, senders opQueue // who wait
	refused            syscall.Errno
	// failed says that the connection has failed, once refused has been told.
	failed bool

	listener
	stream
	datagrams
}

// An opQueue has operations that wait, the oldest first.
type opQueue []*driver.Op

// remove takes op out, and reports whether it was there.
func (q *opQueue) remove(op *driver.Op) bool {
	i := slices.Index(*q, op)
	if i < 0 {
		return false
	}
	*q = slices.Delete(*q, i, i+1)
	return true
}

// sockets are a world's as [sim.Sockets].
type sockets struct{ w *world }

func (k sockets) Socket(family, typ int) (int32, syscall.Errno) {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if typ != syscall.SOCK_STREAM && (typ != syscall.SOCK_DGRAM || family == syscall.AF_UNIX) {
		return -1, syscall.EPROTONOSUPPORT
	}
	return w.open(&socket{family: family, typ: typ}).fd, 0
}

// open gives s a descriptor.
func (w *world) open(s *socket) *socket {
	w.opened++
	s.fd = w.first + w.opened
	w.sockets[s.fd] = s
	return s
}

// number is that of s in the trace, 0 if it has not been accepted.
func (w *world) number(s *socket) int { return max(0, int(s.fd-w.first)) }

// inOrder returns the sockets in the order they were opened.
func (w *world) inOrder() []*socket {
	var list []*socket
	for _, fd := range slices.Sorted(maps.Keys(w.sockets)) {
		list = append(list, w.sockets[fd])
	}
	return list
}

func (k sockets) Bind(fd int32, raw []byte) syscall.Errno {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sockets[fd]
	if s == nil {
		return syscall.EBADF
	}
	return w.bind(s, nameOf(raw))
}

func (w *world) bind(s *socket, n name) syscall.Errno {
	if n.local() {
		if len(w.bound[n.place(s.typ)]) > 0 {
			return syscall.EADDRINUSE
		}
	} else if s.family == syscall.AF_UNIX {
		return 0 // no name
	} else if n.addr.Port() == 0 {
		n = w.choosePort(s.typ, n.addr.Addr())
	} else {
		for _, other := range w.bound[n.place(s.typ)] {
			if other.own.addr == n.addr || other.own.wild() || n.wild() {
				return syscall.EADDRINUSE
			}
		}
	}
	s.own, s.bound = n, true
	at := n.place(s.typ)
	w.bound[at] = append(w.bound[at], s)
	return 0
}

// choosePort returns a name with a port that nobody has.
func (w *world) choosePort(typ int, ip netip.Addr) name {
	for {
		if w.port++; w.port < 32768 {
			w.port = 32768
		}
		n := name{addr: netip.AddrPortFrom(ip, w.port)}
		if len(w.bound[n.place(typ)]) == 0 {
			return n
		}
	}
}

// at returns the socket that is bound to n, nil if there is none.
func (w *world) at(n name, typ int) *socket {
	var wild *socket
	for _, s := range w.bound[n.place(typ)] {
		if s.own == n {
			return s
		}
		if s.own.wild() {
			wild = s
		}
	}
	return wild
}

// unbind frees the name of s.
func (w *world) unbind(s *socket) {
	if !s.bound {
		return
	}
	at := s.own.place(s.typ)
	w.bound[at] = slices.DeleteFunc(w.bound[at], func(o *socket) bool { return o == s })
	if len(w.bound[at]) == 0 {
		delete(w.bound, at)
	}
}

func (k sockets) LocalName(fd int32, buf []byte) int {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.sockets[fd]; s != nil {
		return s.own.encode(s.family, buf)
	}
	return 0
}

func (k sockets) PeerName(fd int32, buf []byte) int {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.sockets[fd]; s != nil {
		return s.peer.encode(s.family, buf)
	}
	return 0
}

func (k sockets) Shutdown(fd int32, how int) syscall.Errno {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sockets[fd]
	switch {
	case s == nil:
		return syscall.EBADF
	case !s.connected:
		return syscall.ENOTCONN
	}
	if how != syscall.SHUT_WR {
		s.deaf = true
	}
	if how != syscall.SHUT_RD && !s.mute {
		s.mute = true
		w.transmit(s, segment{fin: true})
	}
	w.serve(s)
	return 0
}

func (k sockets) Close(fd int32) syscall.Errno {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sockets[fd]
	if s == nil {
		return syscall.EBADF
	}
	w.closeSocket(s)
	return 0
}

func (w *world) closeSocket(s *socket) {
	s.closed = true
	w.giveUp(s)
	w.unbind(s)
	delete(w.sockets, s.fd)
	for _, c := range s.backlog {
		w.reset(c)
	}
	if s.typ == syscall.SOCK_STREAM && s.connected && !s.failed {
		switch {
		case len(s.arrived) > 0:
			w.transmit(s, segment{reset: true}) // data that nobody is going to read
		case !s.mute:
			w.transmit(s, segment{fin: true})
		}
	}
}

// giveUp ends what waits at s.
func (w *world) giveUp(s *socket) {
	for _, q := range []*opQueue{&s.receivers, &s.senders} {
		for _, op := range *q {
			w.end(op, -int32(syscall.ECANCELED))
		}
		*q = nil
	}
}

// delay returns how long a piece of data takes.
func (w *world) delay() time.Duration {
	low, high := w.config.Network.MinDelay, w.config.Network.MaxDelay
	if low == 0 && high == 0 {
		low, high = 10*time.Microsecond, time.Millisecond
	}
	if high <= low {
		return low
	}
	return low + time.Duration(w.chance.Int64N(int64(high-low+1)))
}

// happens decides by a chance.
func (w *world) happens(chance float64) bool { return chance > 0 && w.chance.Float64() < chance }

// isolate cuts a host off, or joins it again.
func (w *world) isolate(host netip.Addr, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[host] = cut
	what := hostJoined
	if cut {
		what = hostCut
	}
	b := host.As16()
	w.note(what, int(b[15]), int(b[14]))
}

// parted reports whether nothing gets from a to b.
func (w *world) parted(a, b name) bool {
	return w.hosts[a.addr.Addr()] || w.hosts[b.addr.Addr()]
}

// resetBetween resets the connection with these ends.
func (w *world) resetBetween(a, b net.Addr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	own, peer := nameFrom(a), nameFrom(b)
	for _, s := range w.inOrder() {
		if s.typ == syscall.SOCK_STREAM && s.connected && s.own == own && s.peer == peer {
			w.reset(s)
			return
		}
	}
}
