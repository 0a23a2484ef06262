//go:build linux && !cogen_portable

package rt

import (
	"context"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Listener accepts TCP or UNIX connections. It is a [net.Listener] and behaves as a
// [net.TCPListener] or [net.UnixListener] does.
type Listener struct {
	fd netFD
	// wildcard is set if connections do not all have the listener's address on
	// this side.
	wildcard bool
	nameSize uint8 // of the addresses of its sockets, as the kernel has them
	// file is what Close removes: the name of a UNIX socket.
	file atomic.Pointer[string]
}

var (
	_ net.Listener = (*Listener)(nil)
	_ syscall.Conn = (*Listener)(nil)
)

// A ListenConfig says how to listen. The zero ListenConfig is what [Listen] and
// [ListenPacket] use.
type ListenConfig struct {
	// ReusePort lets several sockets listen at one address (SO_REUSEPORT). The
	// kernel spreads connections, or datagrams, over them; so each of several
	// tasks can have a listener of its own.
	ReusePort bool
}

// Listen listens at an address, as [net.Listen] does. The network is "tcp",
// "tcp4", "tcp6", "unix" or "unixpacket". It does not wait, except to look up an
// address's host if that is a name.
func Listen(network, address string) (*Listener, error) {
	return ListenConfig{}.Listen(network, address)
}

// Listen is [Listen] with c.
func (c ListenConfig) Listen(network, address string) (*Listener, error) {
	b, err := c.bind(network, address, true)
	if err != nil {
		return nil, err
	}
	// The kernel reduces the length of the queue to what it allows
	// (net.core.somaxconn).
	if err := listenOn(b.fd, 1<<16-1); err != nil {
		closeSocket(b.fd)
		return nil, &net.OpError{Op: "listen", Net: network, Addr: b.addr, Err: os.NewSyscallError("listen", err)}
	}
	l := new(Listener)
	b.describe(&l.fd)
	l.fd.listening = true
	l.nameSize, l.wildcard = b.at.n, b.wildcard
	if b.net.local() && !isSimulated(b.fd) && address != "" && address[0] != '@' && address[0] != 0 {
		l.file.Store(&address)
	}
	return l, nil
}

// bound is a socket that has been bound to an address.
type bound struct {
	net      network
	family   int
	fd       int32
	at       rawAddr
	addr     net.Addr // as asked for
	wildcard bool
}

// bind makes a socket and binds it.
func (c ListenConfig) bind(network, address string, connects bool) (b bound, err error) {
	fail := func(err error) (bound, error) {
		return b, &net.OpError{Op: "listen", Net: network, Addr: b.addr, Err: err}
	}
	if b.net, err = parseNetwork(network); err != nil {
		return fail(err)
	}
	if b.net.connects() != connects {
		return fail(&net.AddrError{Err: "unexpected address type", Addr: address})
	}
	v6only := false
	if b.net.local() {
		b.addr = &net.UnixAddr{Name: address, Net: network}
		b.family = unix.AF_UNIX
		if b.at, err = rawUnixAddr(address); err != nil {
			return fail(os.NewSyscallError("bind", err))
		}
	} else {
		addrs, err := lookupListener(b.net, address)
		if err != nil {
			return fail(err)
		}
		at := firstIPv4(addrs)
		b.addr = netAddrOf(b.net, at)
		v6only = b.choose(at)
	}
	if b.fd, err = newSocket(b.net, b.family, v6only); err != nil {
		return fail(err)
	}
	if err := c.prepare(&b); err != nil {
		closeSocket(b.fd)
		return fail(err)
	}
	return b, nil
}

// choose chooses the family and the raw address to listen at.
func (b *bound) choose(at netip.AddrPort) (v6only bool) {
	ip := at.Addr()
	if !ip.IsValid() { // no host: the wildcard address
		ip = netip.IPv4Unspecified()
		if b.net.version() == 6 || b.net.version() == 0 && dualStack() {
			ip = netip.IPv6Unspecified()
		}
	}
	b.family, v6only = familyOf(b.net, ip, true)
	if b.family == unix.AF_INET6 && ip.IsUnspecified() {
		ip = netip.IPv6Unspecified() // 0.0.0.0 on a socket for both families
	}
	b.at = rawAddrOf(b.family, netip.AddrPortFrom(ip, at.Port()))
	b.wildcard = ip.IsUnspecified()
	return v6only
}

// prepare sets b's options and binds it.
func (c ListenConfig) prepare(b *bound) error {
	if b.net.connects() && !b.net.local() {
		// Allow reuse of recently used addresses.
		if err := setSocketOption(b.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	if c.ReusePort {
		if err := setSocketOption(b.fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	if err := bind(b.fd, &b.at); err != nil {
		return os.NewSyscallError("bind", err)
	}
	return nil
}

// describe makes d the socket.
func (b *bound) describe(d *netFD) {
	d.opened(b.fd, b.net)
	name := localName(b.fd)
	d.local = newEndpoint(b.net, &name)
}

func lookupListener(n network, address string) (addrs []netip.AddrPort, err error) {
	t, err := splitTarget(n, address)
	if err != nil {
		return nil, err
	}
	if t.literal() {
		return t.lookup(context.Background())
	}
	Blocking(func() { addrs, err = t.lookup(context.Background()) })
	return addrs, err
}

// firstIPv4 chooses among the addresses of a host: a listener has only one.
func firstIPv4(addrs []netip.AddrPort) netip.AddrPort {
	for _, a := range addrs {
		if a.Addr().Is4() {
			return a
		}
	}
	return addrs[0]
}

func (l *Listener) ok() bool { return l != nil && l.fd.sys.ID != 0 }

// netFD is what futures operate on; nil if l is no listener.
func (l *Listener) netFD() *netFD {
	if !l.ok() {
		return nil
	}
	return &l.fd
}

// Addr returns the address listened at, a [*net.TCPAddr] or
// [*net.UnixAddr]. It is known also
// after Close. All calls return the same value; do not change it.
func (l *Listener) Addr() net.Addr {
	if !l.ok() {
		return nil
	}
	return l.fd.local.netAddr(l.fd.net)
}

// SetDeadline sets the time from which accepts fail with
// [os.ErrDeadlineExceeded], including those that are waiting now. The zero time
// takes the deadline away.
func (l *Listener) SetDeadline(t time.Time) error {
	if !l.ok() {
		return syscall.EINVAL
	}
	return l.fd.setDeadlines(t, &l.fd.rd)
}
