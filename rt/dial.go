package rt

import (
	"context"
	"net"
	"time"
)

// Dial connects to an address, as [net.Dial] does. The network is "tcp", "tcp4",
// "tcp6", "udp", "udp4", "udp6", "unix", "unixpacket" or "unixgram". A host that is a name is looked up with [net.DefaultResolver]; its
// addresses are tried one after the other.
func Dial(network, address string) (*Conn, error) {
	f := new(DialFuture)
	f.Init(network, address)
	block(f)
	return f.Result()
}

// DialAsync is the async form of Dial.
func DialAsync(network, address string) *DialFuture {
	f := new(DialFuture)
	f.Init(network, address)
	return f
}

// DialFuture is a [Dial] in progress.
type DialFuture struct{ dialing }

// Init makes f a dial. It may be used again after it has finished.
func (f *DialFuture) Init(network, address string) {
	f.prepare(context.Background(), network, address, time.Time{})
}

// Result returns what [Dial] returns.
func (f *DialFuture) Result() (*Conn, error) { return f.result() }

// DialTimeout is Dial with a limit on the time that everything takes together.
// Zero means no limit.
func DialTimeout(network, address string, timeout time.Duration) (*Conn, error) {
	f := new(DialTimeoutFuture)
	f.Init(network, address, timeout)
	block(f)
	return f.Result()
}

// DialTimeoutAsync is the async form of DialTimeout.
func DialTimeoutAsync(network, address string, timeout time.Duration) *DialTimeoutFuture {
	f := new(DialTimeoutFuture)
	f.Init(network, address, timeout)
	return f
}

// DialTimeoutFuture is a [DialTimeout] in progress.
type DialTimeoutFuture struct{ dialing }

// Init makes f a dial; its time starts now. It may be used again after it has
// finished.
func (f *DialTimeoutFuture) Init(network, address string, timeout time.Duration) {
	var deadline time.Time
	if timeout != 0 {
		deadline = time.Now().Add(timeout)
	}
	f.prepare(context.Background(), network, address, deadline)
}

// Result returns what [DialTimeout] returns.
func (f *DialTimeoutFuture) Result() (*Conn, error) { return f.result() }

// DialContext is Dial until ctx ends; once connected, ctx has no effect. Its
// signature is that of the field DialContext of [net/http.Transport]. The
// connection is a [*Conn].
func DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	f := new(DialContextFuture)
	f.Init(ctx, network, address)
	block(f)
	return f.Result()
}

// DialContextAsync is the async form of DialContext.
func DialContextAsync(ctx context.Context, network, address string) *DialContextFuture {
	f := new(DialContextFuture)
	f.Init(ctx, network, address)
	return f
}

// DialContextFuture is a [DialContext] in progress.
type DialContextFuture struct{ dialing }

// Init makes f a dial. It may be used again after it has finished.
func (f *DialContextFuture) Init(ctx context.Context, network, address string) {
	if ctx == nil {
		panic("rt: nil context")
	}
	deadline, _ := ctx.Deadline()
	f.prepare(ctx, network, address, deadline)
}

// Result returns what [DialContext] returns.
func (f *DialContextFuture) Result() (net.Conn, error) {
	c, err := f.result()
	if err != nil {
		return nil, err
	}
	return c, nil
}
