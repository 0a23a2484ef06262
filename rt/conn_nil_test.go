package rt

import (
	"net"
	"testing"
	"time"
)

// What is no connection fails as package net's does, rather than crash.
func TestNoConnection(t *testing.T) {
	use := func(c netConn) []any {
		n, rerr := c.Read(make([]byte, 1))
		m, werr := c.Write(make([]byte, 1))
		_, serr := c.SyscallConn()
		return []any{n, rerr, m, werr, serr, c.Close(), c.CloseRead(), c.CloseWrite(), c.LocalAddr(), c.RemoteAddr(),
			c.SetDeadline(time.Time{}), c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}),
			c.SetNoDelay(true), c.SetKeepAlive(true), c.SetKeepAlivePeriod(1), c.SetLinger(0),
			c.SetReadBuffer(1), c.SetWriteBuffer(1), c.SetKeepAliveConfig(net.KeepAliveConfig{})}
	}
	want := outcomes(use(new(net.TCPConn)))
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, none := range []*Conn{nil, new(Conn)} {
			for _, f := range connForms {
				for i, got := range outcomes(use(f.wrap(none))) {
					if got != at(want, i) {
						t.Errorf("%s, result %d: got %s, want %s", f.name, i, got, at(want, i))
					}
				}
			}
		}
		for _, none := range []*Listener{nil, new(Listener)} {
			for _, l := range []netListener{none, nestedListener{none}, asyncListener{none}} {
				_, err := l.Accept()
				got := outcomes([]any{err, l.Close(), l.Addr(), l.SetDeadline(time.Time{})})
				for i, w := range []string{"EINVAL", "EINVAL", "<nil>", "EINVAL"} {
					if w == "EINVAL" {
						w = want[1] // of Read
					}
					if got[i] != w {
						t.Errorf("listener, result %d: got %s, want %s", i, got[i], w)
					}
				}
			}
		}
	})
}
