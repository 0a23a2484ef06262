//go:build !linux || cogen_portable

package rt

import (
	"context"
	"net"
	"time"
)

// dialing is the future under all forms of Dial.
type dialing struct {
	offload
	network, address string
	ctx              context.Context
	deadline         time.Time
	stop             context.CancelFunc // gives the dial up
	canceled, gaveUp bool
	conn             *Conn
	err              error
}

func (f *dialing) prepare(ctx context.Context, network, address string, deadline time.Time) {
	f.reset()
	f.network, f.address, f.deadline = network, address, deadline
	f.canceled, f.gaveUp, f.conn, f.err = false, false, nil, nil
	f.ctx, f.stop = context.WithCancel(ctx)
}

// Poll carries the dial on.
func (f *dialing) Poll(cx *Context) bool {
	reason := cx.canceled()
	if reason == nil && f.canceled {
		reason = context.Canceled
	}
	if !f.begun() {
		f.begin(cx, f)
	}
	if reason != nil {
		f.stop()
	}
	if !f.ended() {
		return false
	}
	f.stop()
	f.gaveUp = reason != nil && f.conn == nil
	return true
}

func (f *dialing) work() {
	if !isTCP(f.network) {
		f.err = &net.OpError{Op: "dial", Net: f.network, Err: net.UnknownNetworkError(f.network)}
		return
	}
	if worldHere() != nil {
		f.err = &net.OpError{Op: "dial", Net: f.network, Err: errNotSimulated}
		return
	}
	d := net.Dialer{Deadline: f.deadline, FallbackDelay: -1}
	c, err := d.DialContext(f.ctx, f.network, f.address)
	if err != nil {
		f.err = err
		return
	}
	f.conn = newConn(c.(*net.TCPConn))
}

func (f *dialing) result() (*Conn, error) { return f.conn, f.err }

// Cancel implements [Canceler]. A dial that was given up has no connection.
func (f *dialing) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler].
func (f *dialing) Canceled() bool { return f.gaveUp }
