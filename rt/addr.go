package rt

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// network is one of the names that Listen and Dial accept.
type network uint8

const (
	tcp network = iota
	tcp4
	tcp6
)

func (n network) String() string {
	switch n {
	case tcp4:
		return "tcp4"
	case tcp6:
		return "tcp6"
	}
	return "tcp"
}

// parseNetwork reads the name of a network.
func parseNetwork(name string) (network, error) {
	switch name {
	case "tcp":
		return tcp, nil
	case "tcp4":
		return tcp4, nil
	case "tcp6":
		return tcp6, nil
	}
	return 0, net.UnknownNetworkError(name)
}

// ipNetwork is the name that the resolver has for the addresses of n.
func (n network) ipNetwork() string {
	return [...]string{tcp: "ip", tcp4: "ip4", tcp6: "ip6"}[n]
}

// rawAddr is a socket address as the kernel has it; its first n bytes count.
// It is long enough for IPv6, the longest that TCP uses.
type rawAddr struct {
	b [unix.SizeofSockaddrInet6]byte
	n uint8
}

// Where the fields of a struct sockaddr_in and sockaddr_in6 are. The family is
// in the byte order of the machine, the port and addresses are in the network's.
const (
	saPort   = 2
	saAddr4  = 4
	saAddr6  = 8
	saScope6 = 24
)

// rawAddrOf encodes a for a socket of the given family (AF_INET or AF_INET6).
// An IPv4 address on an AF_INET6 socket is mapped into IPv6.
func rawAddrOf(family int, a netip.AddrPort) (r rawAddr) {
	binary.NativeEndian.PutUint16(r.b[0:], uint16(family))
	binary.BigEndian.PutUint16(r.b[saPort:], a.Port())
	if family == unix.AF_INET {
		ip := a.Addr().As4()
		copy(r.b[saAddr4:], ip[:])
		r.n = unix.SizeofSockaddrInet4
		return r
	}
	ip := a.Addr().As16()
	copy(r.b[saAddr6:], ip[:])
	binary.NativeEndian.PutUint32(r.b[saScope6:], zoneIndex(a.Addr().Zone()))
	r.n = unix.SizeofSockaddrInet6
	return r
}

// zoneIndex is the number of the interface that an IPv6 zone names; 0 is none.
func zoneIndex(zone string) uint32 {
	if zone == "" {
		return 0
	}
	if i, err := net.InterfaceByName(zone); err == nil {
		return uint32(i.Index)
	}
	i, err := strconv.ParseUint(zone, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(i)
}

// zoneName is the reverse of zoneIndex.
func zoneName(index uint32) string {
	if index == 0 {
		return ""
	}
	if i, err := net.InterfaceByIndex(int(index)); err == nil {
		return i.Name
	}
	return strconv.FormatUint(uint64(index), 10)
}

// endpoint is the address of one end of a connection. It keeps the few bytes
// that the kernel told, and makes a net.Addr of them when one is asked for.
type endpoint struct {
	addr  atomic.Pointer[net.TCPAddr]
	ip    [16]byte
	scope uint32
	port  uint16
	size  uint8 // of the IP address: 4 or 16; 0 if the address is not known
}

// set reads what the kernel told.
func (e *endpoint) set(r *rawAddr) {
	if r.n < unix.SizeofSockaddrInet4 {
		return
	}
	switch binary.NativeEndian.Uint16(r.b[0:]) {
	case unix.AF_INET:
		e.size = net.IPv4len
		copy(e.ip[:net.IPv4len], r.b[saAddr4:])
	case unix.AF_INET6:
		e.size = net.IPv6len
		copy(e.ip[:], r.b[saAddr6:])
		e.scope = binary.NativeEndian.Uint32(r.b[saScope6:])
	default:
		return
	}
	e.port = binary.BigEndian.Uint16(r.b[saPort:])
}

// equals reports whether e and o are the same address and port.
func (e *endpoint) equals(o *endpoint) bool {
	return e.size == o.size && e.ip == o.ip && e.port == o.port && e.scope == o.scope
}

// copyTo makes o the same address as e, sharing its net.Addr.
func (e *endpoint) copyTo(o *endpoint) {
	o.addr.Store(e.tcpAddr())
	o.ip, o.scope, o.port, o.size = e.ip, e.scope, e.port, e.size
}

// tcpAddr returns the address, always the same pointer; nil if it is not known.
func (e *endpoint) tcpAddr() *net.TCPAddr {
	if e.size == 0 {
		return nil
	}
	if a := e.addr.Load(); a != nil {
		return a
	}
	a := &net.TCPAddr{
		IP:   append(net.IP(nil), e.ip[:e.size]...),
		Port: int(e.port),
		Zone: zoneName(e.scope),
	}
	if !e.addr.CompareAndSwap(nil, a) {
		return e.addr.Load()
	}
	return a
}

// netAddr is tcpAddr for interfaces: an unknown address is a nil net.Addr.
func (e *endpoint) netAddr() net.Addr {
	if a := e.tcpAddr(); a != nil {
		return a
	}
	return nil
}
