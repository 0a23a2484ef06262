//go:build linux && !cogen_portable

package rt

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// network is one of the names that Listen, ListenPacket and Dial accept.
type network uint8

const (
	tcp network = iota
	tcp4
	tcp6
	udp
	udp4
	udp6
	unixStream
	unixPacket
	unixGram
)

var networkNames = [...]string{"tcp", "tcp4", "tcp6", "udp", "udp4", "udp6", "unix", "unixpacket", "unixgram"}

func (n network) String() string { return networkNames[n] }

// parseNetwork reads the name of a network.
func parseNetwork(name string) (network, error) {
	for n, s := range networkNames {
		if s == name {
			return network(n), nil
		}
	}
	return 0, net.UnknownNetworkError(name)
}

// local reports whether n is a network of UNIX sockets.
func (n network) local() bool { return n >= unixStream }

// keepsMessages reports whether what is sent on n arrives in the same pieces.
func (n network) keepsMessages() bool { return n >= udp && n != unixStream }

// connects reports whether sockets of n are listened at, and accepted.
func (n network) connects() bool { return n <= tcp6 || n == unixStream || n == unixPacket }

// version is 4 or 6 if n has only addresses of that version, else 0.
func (n network) version() int {
	switch n {
	case tcp4, udp4:
		return 4
	case tcp6, udp6:
		return 6
	}
	return 0
}

// ipNetwork is the name that the resolver has for the addresses of n.
func (n network) ipNetwork() string {
	switch n.version() {
	case 4:
		return "ip4"
	case 6:
		return "ip6"
	}
	return "ip"
}

// rawAddr is a socket address as the kernel has it; its first n bytes count.
// It is long enough for that of a UNIX socket, the longest there is.
type rawAddr struct {
	b [unix.SizeofSockaddrUnix]byte
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
// that the kernel told, and makes a net.Addr of them when one is asked for. That of
// a UNIX socket is made at once.
type endpoint struct {
	addr  atomic.Pointer[namedAddr]
	ip    [16]byte
	scope uint32
	port  uint16
	size  uint8 // of the IP address: 4 or 16; 0 if the address is not known
}

// newEndpoint returns the endpoint of a socket of network n that the kernel told.
func newEndpoint(n network, r *rawAddr) *endpoint {
	e := new(endpoint)
	e.set(n, r)
	return e
}

// namedAddr is a net.Addr that can be kept in an atomic pointer.
type namedAddr struct{ net.Addr }

// set reads what the kernel told about a socket of network n.
func (e *endpoint) set(n network, r *rawAddr) {
	if n.local() {
		e.addr.Store(&namedAddr{r.unixAddr(n)})
		return
	}
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

// netAddr returns the address of a socket of network n, always the same value; nil
// if it is not known.
func (e *endpoint) netAddr(n network) net.Addr {
	if e == nil {
		return nil
	}
	if a := e.addr.Load(); a != nil {
		return a.Addr
	}
	if e.size == 0 {
		return nil
	}
	ip := append(net.IP(nil), e.ip[:e.size]...)
	a := &namedAddr{ipAddr(n, ip, int(e.port), zoneName(e.scope))}
	if !e.addr.CompareAndSwap(nil, a) {
		return e.addr.Load().Addr
	}
	return a.Addr
}

// ipAddr makes the address type of network n.
func ipAddr(n network, ip net.IP, port int, zone string) net.Addr {
	if n >= udp {
		return &net.UDPAddr{IP: ip, Port: port, Zone: zone}
	}
	return &net.TCPAddr{IP: ip, Port: port, Zone: zone}
}
