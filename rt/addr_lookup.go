//go:build linux && !cogen_portable

package rt

import (
	"context"
	"net"
	"net/netip"
	"slices"
)

// target is an address to connect to or to listen at, split up. Its methods
// follow the resolver of package net, which is not accessible as a whole.
type target struct {
	network    network
	host, port string
}

// splitTarget takes address apart. The empty one has neither host nor port.
func splitTarget(n network, address string) (t target, err error) {
	t.network = n
	if address != "" {
		t.host, t.port, err = net.SplitHostPort(address)
	}
	return t, err
}

// literal reports whether looking t up means reading numbers, which takes no
// waiting.
func (t *target) literal() bool {
	for _, c := range t.port {
		if c < '0' || c > '9' {
			return false
		}
	}
	if t.host == "" {
		return true
	}
	_, err := netip.ParseAddr(t.host)
	return err == nil
}

// lookup returns the addresses of t, at least one. Without a host, that is one
// whose IP address is not valid. It may block unless t is literal.
func (t *target) lookup(ctx context.Context) ([]netip.AddrPort, error) {
	port, err := net.DefaultResolver.LookupPort(ctx, t.network.String(), t.port)
	if err != nil {
		return nil, err
	}
	if t.host == "" {
		return []netip.AddrPort{netip.AddrPortFrom(netip.Addr{}, uint16(port))}, nil
	}
	ips, err := t.lookupHost(ctx)
	if err != nil {
		return nil, err
	}
	addrs := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		addrs[i] = netip.AddrPortFrom(ip.Unmap(), uint16(port))
	}
	return addrs, nil
}

// lookupHost returns the addresses of t's host that are of t's network.
func (t *target) lookupHost(ctx context.Context) ([]netip.Addr, error) {
	ip, err := netip.ParseAddr(t.host)
	if err != nil {
		return net.DefaultResolver.LookupNetIP(ctx, t.network.ipNetwork(), t.host)
	}
	// The resolver reads these too, but loses the zone.
	ips := []netip.Addr{ip.Unmap()}
	if ip == netip.IPv6Unspecified() {
		// It stands for this machine in either family, as in package net: IPv6
		// may be there only in part (golang.org/issue/18806).
		ips = append(ips, netip.IPv4Unspecified())
	}
	ips = slices.DeleteFunc(ips, func(ip netip.Addr) bool {
		return t.network.version() == 4 && !ip.Is4() || t.network.version() == 6 && ip.Is4()
	})
	if len(ips) == 0 {
		return nil, &net.AddrError{Err: "no suitable address found", Addr: t.host}
	}
	return ips, nil
}
