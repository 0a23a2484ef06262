//go:build linux && !cogen_portable

package rt

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// PacketConn is a datagram socket that is not connected: of UDP, or a UNIX one. It is
// a [net.PacketConn] and behaves as a [net.UDPConn] or [net.UnixConn] does. Each
// method that may have to wait has a companion.
type PacketConn struct {
	fd     netFD
	family int
}

var (
	_ net.PacketConn = (*PacketConn)(nil)
	_ syscall.Conn   = (*PacketConn)(nil)
)

// ListenPacket opens a datagram socket at an address, as [net.ListenPacket] does. The
// network is "udp", "udp4", "udp6" or "unixgram".
func ListenPacket(network, address string) (*PacketConn, error) {
	return ListenConfig{}.ListenPacket(network, address)
}

// ListenPacket is [ListenPacket] with c.
func (c ListenConfig) ListenPacket(network, address string) (*PacketConn, error) {
	b, err := c.bind(network, address, false)
	if err != nil {
		return nil, err
	}
	p := &PacketConn{family: b.family}
	b.describe(&p.fd)
	return p, nil
}

func (c *PacketConn) ok() bool { return c != nil && c.fd.sys.ID != 0 }

func (c *PacketConn) netFD() *netFD {
	if !c.ok() {
		return nil
	}
	return &c.fd
}

// LocalAddr returns the socket's address, a [*net.UDPAddr] or [*net.UnixAddr]. It is
// known also after Close. All calls return the same value; do not change it.
func (c *PacketConn) LocalAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.fd.local.netAddr(c.fd.net)
}

// SetDeadline is as for [Conn.SetDeadline].
func (c *PacketConn) SetDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.rd, &c.fd.wr)
}

// SetReadDeadline is SetDeadline for reads only.
func (c *PacketConn) SetReadDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.rd)
}

// SetWriteDeadline is SetDeadline for writes only.
func (c *PacketConn) SetWriteDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.fd.setDeadlines(t, &c.fd.wr)
}

// SetReadBuffer sets the size of the kernel's receive buffer, in bytes.
func (c *PacketConn) SetReadBuffer(bytes int) error { return c.set(unix.SO_RCVBUF, bytes) }

// SetWriteBuffer sets the size of the kernel's send buffer, in bytes.
func (c *PacketConn) SetWriteBuffer(bytes int) error { return c.set(unix.SO_SNDBUF, bytes) }

func (c *PacketConn) set(option, value int) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	if err := c.fd.setOption(unix.SOL_SOCKET, option, value); err != nil {
		return c.fd.ownError("set", err)
	}
	return nil
}

// SyscallConn returns the raw socket; see [Conn.SyscallConn].
func (c *PacketConn) SyscallConn() (syscall.RawConn, error) {
	if !c.ok() {
		return nil, syscall.EINVAL
	}
	return rawConn{&c.fd}, nil
}

// Close closes the socket. Reads and writes that are waiting fail with
// [net.ErrClosed]; Close returns when they have, and the descriptor is closed.
func (c *PacketConn) Close() error {
	f := c.CloseAsync()
	return f.wait()
}

// CloseAsync is the async form of Close.
func (c *PacketConn) CloseAsync() *ClosePacketFuture {
	f := new(ClosePacketFuture)
	f.Init(c)
	return f
}

// ClosePacketFuture is a [PacketConn.Close] in progress.
type ClosePacketFuture struct{ closing }

// Init makes f the closing of c.
func (f *ClosePacketFuture) Init(c *PacketConn) { f.prepare(c.netFD()) }

// rawName encodes an address to send to.
func (c *PacketConn) rawName(to netip.AddrPort) (r rawAddr, err error) {
	ip := to.Addr()
	switch {
	case !ip.IsValid(): // this machine
		ip = netip.IPv4Unspecified()
		if c.family == unix.AF_INET6 {
			ip = netip.IPv6Unspecified()
		}
	case c.family == unix.AF_INET && !ip.Unmap().Is4():
		return r, &net.AddrError{Err: "non-IPv4 address", Addr: ip.String()}
	case c.family == unix.AF_INET:
		ip = ip.Unmap()
	}
	return rawAddrOf(c.family, netip.AddrPortFrom(ip, to.Port())), nil
}

// addrPort decodes the address of a sender; one that is not told is not valid.
func (r *rawAddr) addrPort() netip.AddrPort {
	var e endpoint
	e.set(udp, r)
	switch e.size {
	case net.IPv4len:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(e.ip[:net.IPv4len])), e.port)
	case net.IPv6len:
		ip := netip.AddrFrom16(e.ip)
		if e.scope != 0 {
			ip = ip.WithZone(zoneName(e.scope))
		}
		return netip.AddrPortFrom(ip, e.port)
	}
	return netip.AddrPort{}
}
