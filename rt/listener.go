package rt

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Listener accepts TCP connections. It is a [net.Listener] and behaves as a
// [net.TCPListener] does.
type Listener struct {
	fd netFD
	// wildcard is set if connections do not all have the listener's address on
	// this side.
	wildcard bool
	nameSize uint8 // of the addresses of its sockets, as the kernel has them
}

var (
	_ net.Listener = (*Listener)(nil)
	_ syscall.Conn = (*Listener)(nil)
)

// Listen listens at an address, as [net.Listen] does. The network is "tcp",
// "tcp4" or "tcp6". It does not wait, except to look up an address's host if
// that is a name.
func Listen(network, address string) (*Listener, error) {
	n, addrs, err := lookupListener(network, address)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Err: err}
	}
	at := firstIPv4(addrs)
	l, err := listen(n, at)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Addr: tcpAddrOf(at), Err: err}
	}
	return l, nil
}

func lookupListener(network, address string) (n network, addrs []netip.AddrPort, err error) {
	n, err = parseNetwork(network)
	if err != nil {
		return n, nil, err
	}
	t, err := splitTarget(n, address)
	if err != nil {
		return n, nil, err
	}
	if t.literal() {
		addrs, err = t.lookup(context.Background())
	} else {
		Blocking(func() { addrs, err = t.lookup(context.Background()) })
	}
	return n, addrs, err
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

func listen(n network, at netip.AddrPort) (*Listener, error) {
	ip := at.Addr()
	if !ip.IsValid() { // no host: the wildcard address
		ip = netip.IPv4Unspecified()
		if n == tcp6 || n == tcp && dualStack() {
			ip = netip.IPv6Unspecified()
		}
	}
	family, v6only := familyOf(n, ip, true)
	if family == unix.AF_INET6 && ip.IsUnspecified() {
		ip = netip.IPv6Unspecified() // 0.0.0.0 on a socket for both families
	}
	fd, err := newSocket(family, v6only)
	if err != nil {
		return nil, err
	}
	l := new(Listener)
	if err := l.start(fd, n, rawAddrOf(family, netip.AddrPortFrom(ip, at.Port()))); err != nil {
		unix.Close(int(fd))
		return nil, err
	}
	l.wildcard = ip.IsUnspecified()
	return l, nil
}

func (l *Listener) start(fd int32, n network, at rawAddr) error {
	// Allow reuse of recently used addresses.
	if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	if err := bind(fd, &at); err != nil {
		return os.NewSyscallError("bind", err)
	}
	// The kernel reduces the length of the queue to what it allows
	// (net.core.somaxconn).
	if err := unix.Listen(int(fd), 1<<16-1); err != nil {
		return os.NewSyscallError("listen", err)
	}
	l.fd.opened(fd, n)
	l.fd.listening = true
	l.nameSize = at.n
	name := localName(fd)
	l.fd.local.set(&name)
	return nil
}

func (l *Listener) ok() bool { return l != nil && l.fd.sys.ID != 0 }

// netFD is what futures operate on; nil if l is no listener.
func (l *Listener) netFD() *netFD {
	if !l.ok() {
		return nil
	}
	return &l.fd
}

// Addr returns the address listened at, a [*net.TCPAddr]. It is known also
// after Close. All calls return the same value; do not change it.
func (l *Listener) Addr() net.Addr {
	if !l.ok() {
		return nil
	}
	return l.fd.local.netAddr()
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
