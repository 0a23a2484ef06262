package rttest

import (
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
)

// A name is the address of a socket: of a host and port, or the path of a UNIX socket.
// The zero name is none.
type name struct {
	addr netip.AddrPort // unmapped
	path string
}

// A place is what sockets are bound to: no two share one, but for hosts.
type place struct {
	typ  int
	port uint16
	path string
}

func (n name) local() bool { return n.path != "" }

func (n name) place(typ int) place { return place{typ, n.addr.Port(), n.path} }

// Where the fields of raw addresses are.
const (
	rawPort  = 2
	rawIPv4  = 4
	rawIPv6  = 8
	rawPath  = 2
	sizeIPv4 = 16
	sizeIPv6 = 28
)

// nameOf decodes a raw address.
func nameOf(raw []byte) name {
	if len(raw) < rawPort {
		return name{}
	}
	switch binary.NativeEndian.Uint16(raw) {
	case syscall.AF_INET:
		if len(raw) >= rawIPv4+4 {
			ip := netip.AddrFrom4([4]byte(raw[rawIPv4:]))
			return name{addr: netip.AddrPortFrom(ip, binary.BigEndian.Uint16(raw[rawPort:]))}
		}
	case syscall.AF_INET6:
		if len(raw) >= rawIPv6+16 {
			ip := netip.AddrFrom16([16]byte(raw[rawIPv6:])).Unmap()
			return name{addr: netip.AddrPortFrom(ip, binary.BigEndian.Uint16(raw[rawPort:]))}
		}
	case syscall.AF_UNIX:
		path := raw[rawPath:]
		if len(path) > 0 && path[0] != 0 {
			for i, b := range path {
				if b == 0 {
					path = path[:i]
					break
				}
			}
		}
		return name{path: string(path)}
	}
	return name{}
}

// encode writes n to buf as the raw address of a socket of the given family, and
// returns its length.
func (n name) encode(family int, buf []byte) int {
	clear(buf)
	raw := make([]byte, 128)
	binary.NativeEndian.PutUint16(raw, uint16(family))
	size := rawPath
	switch family {
	case syscall.AF_UNIX:
		size += copy(raw[rawPath:], n.path)
		if n.path != "" && n.path[0] != 0 {
			size++
		}
	case syscall.AF_INET:
		binary.BigEndian.PutUint16(raw[rawPort:], n.addr.Port())
		if n.addr.Addr().Is4() {
			ip := n.addr.Addr().As4()
			copy(raw[rawIPv4:], ip[:])
		}
		size = sizeIPv4
	default:
		binary.BigEndian.PutUint16(raw[rawPort:], n.addr.Port())
		if n.addr.IsValid() {
			ip := n.addr.Addr().As16()
			if n.addr.Addr() == netip.IPv4Unspecified() {
				ip = netip.IPv6Unspecified().As16()
			}
			copy(raw[rawIPv6:], ip[:])
		}
		size = sizeIPv6
	}
	copy(buf, raw[:size])
	return size
}

// nameFrom is the name of what a.String is for.
func nameFrom(a net.Addr) name {
	switch a := a.(type) {
	case *net.TCPAddr:
		ap := a.AddrPort()
		return name{addr: netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())}
	case *net.UnixAddr:
		return name{path: a.Name}
	}
	return name{}
}

// wild reports whether n stands for any host.
func (n name) wild() bool { return n.addr.IsValid() && n.addr.Addr().IsUnspecified() }

// toward is the address that a socket without one gets when it sends to n.
func (n name) toward() netip.Addr {
	switch ip := n.addr.Addr(); {
	case ip.IsLoopback() && ip.Is4():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		return ip
	}
}

// here makes a wildcard to be sent to an address of this machine.
func (n name) here() name {
	if !n.wild() {
		return n
	}
	ip := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if n.addr.Addr().Is6() {
		ip = netip.IPv6Loopback()
	}
	return name{addr: netip.AddrPortFrom(ip, n.addr.Port())}
}
