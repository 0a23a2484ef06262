//go:build !linux || cogen_portable

package rt

import (
	"net"
	"syscall"
	"time"
)

// Listener accepts TCP connections. It is a [net.Listener] and behaves as a
// [net.TCPListener] does.
type Listener struct {
	tcp *net.TCPListener
	rd  netSide
}

var (
	_ net.Listener = (*Listener)(nil)
	_ syscall.Conn = (*Listener)(nil)
)

// Listen listens at an address, as [net.Listen] does. The network is "tcp",
// "tcp4" or "tcp6". It does not wait, except to look up an address's host if
// that is a name.
func Listen(network, address string) (l *Listener, err error) {
	if !isTCP(network) {
		return nil, &net.OpError{Op: "listen", Net: network, Err: net.UnknownNetworkError(network)}
	}
	if worldHere() != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Err: errNotSimulated}
	}
	Blocking(func() {
		var n net.Listener
		if n, err = net.Listen(network, address); err == nil {
			l = &Listener{tcp: n.(*net.TCPListener)}
			l.rd.set = l.tcp.SetDeadline
		}
	})
	return l, err
}

func isTCP(network string) bool { return network == "tcp" || network == "tcp4" || network == "tcp6" }

func (l *Listener) ok() bool { return l != nil && l.tcp != nil }

// Accept waits for the next connection and returns it, a [*Conn].
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.AcceptConn()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn is Accept with the connection's own type.
func (l *Listener) AcceptConn() (*Conn, error) {
	f := l.AcceptConnAsync()
	if f.err == nil && contextHere() == nil {
		f.work()
	} else {
		block(f)
	}
	return f.Result()
}

// AcceptConnAsync is the async form of AcceptConn.
func (l *Listener) AcceptConnAsync() *AcceptConnFuture {
	f := new(AcceptConnFuture)
	f.Init(l)
	return f
}

// AcceptConnFuture is a [Listener.AcceptConn] in progress.
type AcceptConnFuture struct {
	netJob
	l    *Listener
	conn *Conn
	err  error
}

// Init makes f an accept on l. It may be used again after it has finished.
func (f *AcceptConnFuture) Init(l *Listener) {
	f.l, f.conn, f.err = l, nil, nil
	if !l.ok() {
		f.prepare(nil)
		f.err = syscall.EINVAL
		return
	}
	f.prepare(&l.rd)
}

// Poll carries the accept on.
func (f *AcceptConnFuture) Poll(cx *Context) bool { return f.side == nil || f.poll(cx, f, &f.err) }

func (f *AcceptConnFuture) work() {
	for {
		c, err := f.l.tcp.AcceptTCP()
		if err == nil {
			f.conn, f.err = newConn(c), nil
			return
		}
		if f.err = err; !f.again(err) {
			return
		}
	}
}

// Result returns what [Listener.AcceptConn] returns.
func (f *AcceptConnFuture) Result() (*Conn, error) { return f.conn, f.err }

// Cancel implements [Canceler]. An accept that was given up has left the connection
// to the next; its error is [context.Canceled].
func (f *AcceptConnFuture) Cancel(*Context) { f.canceled = true }

// Canceled implements [Canceler].
func (f *AcceptConnFuture) Canceled() bool { return f.gaveUp }

// Close stops listening. Accepts that are waiting fail with [net.ErrClosed].
func (l *Listener) Close() error {
	if !l.ok() {
		return syscall.EINVAL
	}
	return l.tcp.Close()
}

// CloseAsync is the async form of Close.
func (l *Listener) CloseAsync() *CloseListenerFuture {
	f := new(CloseListenerFuture)
	f.Init(l)
	return f
}

// CloseListenerFuture is a [Listener.Close] in progress.
type CloseListenerFuture struct {
	l   *Listener
	err error
}

// Init makes f the closing of l.
func (f *CloseListenerFuture) Init(l *Listener) { f.l, f.err = l, nil }

// Poll closes the listener, which needs no waiting.
func (f *CloseListenerFuture) Poll(*Context) bool {
	f.err = f.l.Close()
	return true
}

// Result returns what [Listener.Close] returns.
func (f *CloseListenerFuture) Result() error { return f.err }

// Addr returns the address listened at, a [*net.TCPAddr].
func (l *Listener) Addr() net.Addr {
	if !l.ok() {
		return nil
	}
	return l.tcp.Addr()
}

// SetDeadline sets the time from which accepts fail with
// [os.ErrDeadlineExceeded], including those that are waiting now. The zero time
// takes the deadline away.
func (l *Listener) SetDeadline(t time.Time) error {
	if !l.ok() {
		return syscall.EINVAL
	}
	return l.rd.setDeadline(t)
}

// SyscallConn returns the raw listener; see [Conn.SyscallConn].
func (l *Listener) SyscallConn() (syscall.RawConn, error) {
	if !l.ok() {
		return nil, syscall.EINVAL
	}
	return l.tcp.SyscallConn()
}
