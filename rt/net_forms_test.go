package rt

import (
	"context"
	"net"
	"syscall"
	"time"
)

// form is one way of making the calls of a connection.
type form struct {
	name string
	wrap func(*Conn) netConn
}

var connForms = []form{{"goroutine", identity}, {"nested", inNested}, {"async", inAsync}}

// stack is an implementation of TCP: package net, or this one in one of its
// forms.
type stack struct {
	name        string
	listen      func(network, address string) (netListener, error)
	dial        func(network, address string) (netConn, error)
	dialTimeout func(network, address string, d time.Duration) (netConn, error)
	dialContext func(ctx context.Context, network, address string) (netConn, error)
}

type netListener interface {
	net.Listener
	SetDeadline(time.Time) error
}

type netConn interface {
	net.Conn
	syscall.Conn
	CloseRead() error
	CloseWrite() error
	SetNoDelay(bool) error
	SetKeepAlive(bool) error
	SetKeepAlivePeriod(time.Duration) error
	SetKeepAliveConfig(net.KeepAliveConfig) error
	SetLinger(int) error
	SetReadBuffer(int) error
	SetWriteBuffer(int) error
}

var theirs = stack{
	name: "net",
	listen: func(network, address string) (netListener, error) {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		return l.(*net.TCPListener), nil
	},
	dial: func(network, address string) (netConn, error) { return asNetConn(net.Dial(network, address)) },
	dialTimeout: func(network, address string, d time.Duration) (netConn, error) {
		return asNetConn(net.DialTimeout(network, address, d))
	},
	dialContext: func(ctx context.Context, network, address string) (netConn, error) {
		return asNetConn(new(net.Dialer).DialContext(ctx, network, address))
	},
}

func asNetConn(c net.Conn, err error) (netConn, error) {
	if err != nil {
		return nil, err
	}
	return c.(netConn), nil
}

// ours are the forms of this package.
var ours = []stack{
	{
		name: "goroutine",
		listen: func(network, address string) (netListener, error) {
			l, err := Listen(network, address)
			if err != nil {
				return nil, err
			}
			return l, nil
		},
		dial: func(network, address string) (netConn, error) { return wrapped(Dial(network, address))(identity) },
		dialTimeout: func(network, address string, d time.Duration) (netConn, error) {
			return wrapped(DialTimeout(network, address, d))(identity)
		},
		dialContext: func(ctx context.Context, network, address string) (netConn, error) {
			return asNetConn(DialContext(ctx, network, address))
		},
	},
	{
		name: "nested",
		listen: func(network, address string) (l netListener, err error) {
			inTask(func() {
				var rl *Listener
				if rl, err = Listen(network, address); err == nil {
					l = nestedListener{rl}
				}
			})
			return l, err
		},
		dial: func(network, address string) (c netConn, err error) {
			inTask(func() { c, err = wrapped(Dial(network, address))(inNested) })
			return c, err
		},
		dialTimeout: func(network, address string, d time.Duration) (c netConn, err error) {
			inTask(func() { c, err = wrapped(DialTimeout(network, address, d))(inNested) })
			return c, err
		},
		dialContext: func(ctx context.Context, network, address string) (c netConn, err error) {
			inTask(func() { c, err = asNetConn(DialContext(ctx, network, address)) })
			return c, err
		},
	},
	{
		name: "async",
		listen: func(network, address string) (netListener, error) {
			l, err := Listen(network, address)
			if err != nil {
				return nil, err
			}
			return asyncListener{l}, nil
		},
		dial: func(network, address string) (netConn, error) {
			f := DialAsync(network, address)
			return wrapped(Run(f).Result())(inAsync)
		},
		dialTimeout: func(network, address string, d time.Duration) (netConn, error) {
			f := DialTimeoutAsync(network, address, d)
			return wrapped(Run(f).Result())(inAsync)
		},
		dialContext: func(ctx context.Context, network, address string) (netConn, error) {
			f := DialContextAsync(ctx, network, address)
			return asNetConn(Run(f).Result())
		},
	},
}

func wrapped(c *Conn, err error) func(wrap func(*Conn) netConn) (netConn, error) {
	return func(wrap func(*Conn) netConn) (netConn, error) {
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}

func identity(c *Conn) netConn { return c }
func inNested(c *Conn) netConn { return nestedConn{c} }
func inAsync(c *Conn) netConn  { return asyncConn{c} }

type nestedListener struct{ *Listener }

func (l nestedListener) Accept() (c net.Conn, err error) {
	inTask(func() {
		var rc *Conn
		if rc, err = l.AcceptConn(); err == nil {
			c = nestedConn{rc}
		}
	})
	return c, err
}

func (l nestedListener) Close() (err error) {
	inTask(func() { err = l.Listener.Close() })
	return err
}

type asyncListener struct{ *Listener }

func (l asyncListener) Accept() (net.Conn, error) {
	f := l.AcceptAsync()
	c, err := Run(f).Result()
	if err != nil {
		return nil, err
	}
	return asyncConn{c.(*Conn)}, nil
}

func (l asyncListener) Close() error {
	f := l.CloseAsync()
	return Run(f).Result()
}
