//go:build !linux || cogen_portable

package rt

import (
	"errors"
	"net"
)

// A ListenConfig says how to listen. The zero ListenConfig is what [Listen] uses.
type ListenConfig struct {
	// ReusePort lets several sockets listen at one address. On this system listening
	// then fails with an error that is [errors.ErrUnsupported].
	ReusePort bool
}

// Listen is [Listen] with c.
func (c ListenConfig) Listen(network, address string) (*Listener, error) {
	if c.ReusePort {
		return nil, &net.OpError{Op: "listen", Net: network, Err: errors.ErrUnsupported}
	}
	return Listen(network, address)
}
