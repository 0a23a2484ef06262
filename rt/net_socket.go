//go:build linux && !cogen_portable

package rt

import (
	"net"
	"net/netip"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Keep-alive probes are on for all connections, at the pace that package net
// sets: first probe and next ones after 15 seconds, at most 9.
const (
	keepAliveIdle     = 15
	keepAliveInterval = 15
	keepAliveCount    = 9
)

// newSocket makes a socket of network n and family AF_INET, AF_INET6 or AF_UNIX, with
// the options that all have. Connections inherit them from their listener, so that
// accepting one takes no calls for it.
func newSocket(n network, family int, v6only bool) (int32, error) {
	typ := unix.SOCK_STREAM
	switch {
	case n == unixPacket:
		typ = unix.SOCK_SEQPACKET
	case n.keepsMessages():
		typ = unix.SOCK_DGRAM
	}
	fd, err := openSocket(family, typ)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if family == unix.AF_INET6 {
		// As in package net a failure does not matter: a system that does not
		// do both at once will say so when an address is bound or connected to.
		setSocketOption(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, flag(v6only))
	}
	// None of these fails on a socket of its kind; if one did, it would still work.
	switch {
	case n.local():
	case n.keepsMessages():
		setSocketOption(fd, unix.SOL_SOCKET, unix.SO_BROADCAST, 1)
	default:
		setSocketOption(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		setSocketOption(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
		setSocketOption(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAliveIdle)
		setSocketOption(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAliveInterval)
		setSocketOption(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveCount)
	}
	return fd, nil
}

// familyOf chooses the socket's family for an address to connect to or to
// listen at, and whether an IPv6 socket is to leave IPv4 alone. The rules are
// those of package net.
func familyOf(n network, a netip.Addr, listen bool) (family int, v6only bool) {
	switch n.version() {
	case 4:
		return unix.AF_INET, false
	case 6:
		return unix.AF_INET6, true
	}
	if listen && a.IsUnspecified() {
		// Any wildcard on "tcp" and "udp" means both families, where the system can do it.
		if dualStack() {
			return unix.AF_INET6, false
		}
		if a.Is4() {
			return unix.AF_INET, false
		}
		return unix.AF_INET6, false
	}
	if a.Is4() {
		return unix.AF_INET, false
	}
	return unix.AF_INET6, false
}

// dualStack reports whether IPv6 sockets can serve IPv4 too.
var dualStack = sync.OnceValue(func() bool {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
	mapped := rawAddrOf(unix.AF_INET6, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0))
	return bind(int32(fd), &mapped) == nil
})

// netAddrOf makes a net.Addr of an address to connect to or to listen at.
func netAddrOf(n network, a netip.AddrPort) net.Addr {
	return ipAddr(n, a.Addr().AsSlice(), int(a.Port()), a.Addr().Zone())
}
