package rt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// describe says everything about err that a caller can tell, with ports left out.
func describe(err error) string {
	if err == nil {
		return "nil"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q", err)
	if op, ok := err.(*net.OpError); ok {
		fmt.Fprintf(&b, " OpError{%q %q %T(%v) %T(%v)}", op.Op, op.Net, op.Source, op.Source, op.Addr, op.Addr)
		if sys, ok := op.Err.(*os.SyscallError); ok {
			fmt.Fprintf(&b, " SyscallError{%q %T}", sys.Syscall, sys.Err)
		}
	}
	if ne, ok := err.(net.Error); ok {
		//lint:ignore SA1019 programs still ask for it, and package net still answers
		temporary := ne.Temporary()
		fmt.Fprintf(&b, " timeout=%v temporary=%v", ne.Timeout(), temporary)
	}
	for _, target := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.EADDRINUSE, syscall.EINVAL,
	} {
		if errors.Is(err, target) {
			fmt.Fprintf(&b, " is(%v)", target)
		}
	}
	if err == io.EOF {
		b.WriteString(" bare")
	}
	return ports.ReplaceAllString(b.String(), "$1:P")
}

var ports = regexp.MustCompile(`(127\.0\.0\.1|\[::1\]|\[::\]|0\.0\.0\.0):\d+`)

// scenes are what is done with a stack, returning all errors and results that
// come of it.
var scenes = []struct {
	name string
	play func(t *testing.T, s stack) []any
}{
	{"listen on unknown network", func(t *testing.T, s stack) []any {
		_, err := s.listen("udp9", "127.0.0.1:0")
		return []any{err}
	}},
	{"listen without port", func(t *testing.T, s stack) []any {
		_, err := s.listen("tcp", "127.0.0.1")
		return []any{err}
	}},
	{"listen on bad port", func(t *testing.T, s stack) []any {
		_, one := s.listen("tcp", "127.0.0.1:65536")
		_, two := s.listen("tcp", "127.0.0.1:no-such-service")
		_, three := s.listen("tcp", "127.0.0.1:-1")
		return []any{one, two, three}
	}},
	{"listen on the other family", func(t *testing.T, s stack) []any {
		_, one := s.listen("tcp4", "[::1]:0")
		_, two := s.listen("tcp6", "127.0.0.1:0")
		return []any{one, two}
	}},
	{"listen on address in use", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		_, err := s.listen("tcp", l.Addr().String())
		return []any{err}
	}},
	{"listen on wildcard in use", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", ":0"))(t)
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		_, err := s.listen("tcp", ":"+port)
		return []any{strings.ReplaceAll(describe(err), port, "P")}
	}},
	{"listen on a foreign address", func(t *testing.T, s stack) []any {
		_, err := s.listen("tcp", "192.0.2.1:0")
		return []any{err}
	}},
	{"addresses listened at", func(t *testing.T, s stack) (out []any) {
		for _, n := range []string{"tcp", "tcp4", "tcp6"} {
			for _, a := range []string{"", ":0", "127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0", "localhost:0"} {
				l, err := s.listen(n, a)
				if err != nil {
					out = append(out, n, a, err)
					continue
				}
				out = append(out, n, a, addrs(l.Addr()))
				l.Close()
				out = append(out, addrs(l.Addr()))
			}
		}
		return out
	}},
	{"addresses of connections", func(t *testing.T, s stack) (out []any) {
		for _, n := range []string{"tcp", "tcp4", "tcp6"} {
			for _, a := range []string{":0", "127.0.0.1:0", "[::1]:0"} {
				l, err := s.listen(n, a)
				if err != nil {
					continue
				}
				_, port, _ := net.SplitHostPort(l.Addr().String())
				for _, host := range []string{"", "127.0.0.1", "::1", "localhost"} {
					c, err := s.dial(n, net.JoinHostPort(host, port))
					if err != nil {
						out = append(out, n, a, host, strings.ReplaceAll(describe(err), port, "P"))
						continue
					}
					p := must(l.Accept())(t)
					// Closed before anybody has asked.
					c.Close()
					p.Close()
					out = append(out, n, a, host, addrs(c.LocalAddr(), c.RemoteAddr(), p.LocalAddr(), p.RemoteAddr()),
						c.LocalAddr().String() == p.RemoteAddr().String(), p.LocalAddr().String() == c.RemoteAddr().String())
				}
				l.Close()
			}
		}
		return out
	}},
	{"dial refused", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		l.Close()
		_, err := s.dial("tcp", l.Addr().String())
		return []any{err}
	}},
	{"dial nonsense", func(t *testing.T, s stack) (out []any) {
		for _, n := range []string{"tcp", "tcp4", "tcp6", "udp9"} {
			for _, a := range []string{"", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:x-y-z", "[::1:80", "a:b:c"} {
				_, err := s.dial(n, a)
				out = append(out, n, a, err)
			}
		}
		_, one := s.dial("tcp4", "[::1]:1")
		_, two := s.dial("tcp6", "127.0.0.1:1")
		return append(out, one, two)
	}},
	{"dial unreachable", func(t *testing.T, s stack) []any {
		_, err := s.dial("tcp", "255.255.255.255:9")
		_, six := s.dial("tcp", "[fe80::1%nowhere]:9")
		return []any{err, six}
	}},
	{"dial with time up", func(t *testing.T, s stack) []any {
		_, err := s.dialTimeout("tcp", "127.0.0.1:1", -1)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_, gerr := s.dialContext(gone, "tcp", "127.0.0.1:1")
		late, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
		defer cancel()
		_, lerr := s.dialContext(late, "tcp", "127.0.0.1:1")
		return []any{anyTimeout(err), gerr, anyTimeout(lerr)}
	}},
	{"dial without answer", func(t *testing.T, s stack) []any {
		address, stop := deafListener(t)
		defer stop()
		_, err := s.dialTimeout("tcp", address, 30*time.Millisecond)
		return []any{anyTimeout(err)}
	}},
	{"dial cancelled", func(t *testing.T, s stack) []any {
		address, stop := deafListener(t)
		defer stop()
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		_, err := s.dialContext(ctx, "tcp", address)
		return []any{err}
	}},
	{"accept after close", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		one := l.Close()
		_, err := l.Accept()
		return []any{one, err, l.Close(), l.SetDeadline(time.Time{})}
	}},
	{"close while accepting", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		wait := later(func() error { _, err := l.Accept(); return err })
		time.Sleep(20 * time.Millisecond)
		return []any{l.Close(), wait()}
	}},
	{"accept deadline", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		l.SetDeadline(time.Now().Add(20 * time.Millisecond))
		_, one := l.Accept()
		_, two := l.Accept()
		l.SetDeadline(time.Time{})
		wait := later(func() error { _, err := l.Accept(); return err })
		time.Sleep(20 * time.Millisecond)
		l.SetDeadline(time.Unix(1, 0))
		return []any{one, two, wait()}
	}},
	{"reset before it is accepted", func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		p := must(net.Dial("tcp", l.Addr().String()))(t)
		p.(*net.TCPConn).SetLinger(0)
		p.Close()
		c := must(l.Accept())(t)
		defer c.Close()
		_, one := c.Read(make([]byte, 1))
		_, two := c.Write([]byte("a"))
		return []any{one, two, c.RemoteAddr().String() == p.LocalAddr().String()}
	}},
	{"end of stream", onPair(func(t *testing.T, c, p netConn) []any {
		write(t, p, "ab")
		p.CloseWrite()
		out := readAll(c)
		n, err := c.Read(nil)
		m, merr := c.Write([]byte("still"))
		return append(out, n, err, m, merr)
	})},
	{"closed by the peer", onPair(func(t *testing.T, c, p netConn) []any {
		p.Close()
		return readAll(c)
	})},
	{"reset by the peer while reading", onPair(func(t *testing.T, c, p netConn) []any {
		wait := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		p.SetLinger(0)
		p.Close()
		return []any{wait(), addrs(c.LocalAddr(), c.RemoteAddr())}
	})},
	{"reset by the peer, then write", onPair(func(t *testing.T, c, p netConn) []any {
		p.SetLinger(0)
		p.Close()
		waitReset(t, c)
		n, err := c.Write([]byte("a"))
		m, merr := c.Write([]byte("a"))
		return []any{n, err, m, merr}
	})},
	{"write after shutdown", onPair(func(t *testing.T, c, p netConn) []any {
		one := c.CloseWrite()
		n, err := c.Write([]byte("a"))
		m, merr := c.Write(nil)
		return []any{one, n, err, m, merr, c.CloseWrite()}
	})},
	{"read after shutdown", onPair(func(t *testing.T, c, p netConn) []any {
		one := c.CloseRead()
		n, err := c.Read(make([]byte, 1))
		return []any{one, n, err}
	})},
	{"shutdown while reading", onPair(func(t *testing.T, c, p netConn) []any {
		wait := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		return []any{c.CloseRead(), wait()}
	})},
	{"everything after close", onPair(func(t *testing.T, c, p netConn) []any {
		one := c.Close()
		n, rerr := c.Read(make([]byte, 1))
		z, zerr := c.Read(nil)
		m, werr := c.Write([]byte("a"))
		k, kerr := c.Write(nil)
		return []any{one, n, rerr, z, zerr, m, werr, k, kerr,
			c.Close(), c.CloseRead(), c.CloseWrite(),
			c.SetDeadline(time.Now()), c.SetReadDeadline(time.Now()), c.SetWriteDeadline(time.Time{}),
			c.SetNoDelay(true), c.SetKeepAlive(true), c.SetKeepAlivePeriod(time.Second), c.SetLinger(1),
			c.SetReadBuffer(1), c.SetWriteBuffer(1), c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}),
			addrs(c.LocalAddr(), c.RemoteAddr())}
	})},
	{"close while reading and writing", onPair(func(t *testing.T, c, p netConn) []any {
		reads := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		again := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		writes := later(func() error { _, err := c.Write(make([]byte, 64<<20)); return err })
		time.Sleep(50 * time.Millisecond)
		return []any{c.Close(), reads(), again(), writes()}
	})},
	{"read deadline", onPair(func(t *testing.T, c, p netConn) []any {
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		_, one := c.Read(make([]byte, 1))
		write(t, p, "a")
		time.Sleep(10 * time.Millisecond)
		_, two := c.Read(make([]byte, 1)) // although there is something
		z, zerr := c.Read(nil)
		c.SetReadDeadline(time.Time{})
		n, err := c.Read(make([]byte, 1))
		return []any{one, two, z, zerr, n, err}
	})},
	{"read deadline set while reading", onPair(func(t *testing.T, c, p netConn) []any {
		wait := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		one := wait()
		c.SetReadDeadline(time.Time{})
		wait = later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		c.SetDeadline(time.Unix(1, 0))
		return []any{one, wait()}
	})},
	{"read deadline taken away while reading", onPair(func(t *testing.T, c, p netConn) []any {
		c.SetReadDeadline(time.Now().Add(time.Second))
		wait := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
		time.Sleep(10 * time.Millisecond)
		c.SetReadDeadline(time.Time{})
		time.Sleep(1100 * time.Millisecond)
		write(t, p, "a")
		return []any{wait()}
	})},
	{"write deadline", onPair(func(t *testing.T, c, p netConn) []any {
		much := make([]byte, 64<<20)
		c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		n, one := c.Write(much)
		m, two := c.Write([]byte("a"))
		k, three := c.Write(nil)
		return []any{n > 0, n < 64<<20, one, m, two, k, three}
	})},
	{"options", onPair(func(t *testing.T, c, p netConn) []any {
		one := []any{options(t, c), options(t, p)}
		errs := []any{
			c.SetNoDelay(false), c.SetKeepAlivePeriod(90 * time.Second), p.SetKeepAlive(false),
			c.SetLinger(3), c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: -1, Interval: 2500 * time.Millisecond, Count: 4}),
			p.SetReadBuffer(20000), p.SetWriteBuffer(20000), c.SetKeepAlivePeriod(0),
		}
		return append(append(one, errs...), options(t, c), options(t, p))
	})},
}

// onPair plays with the two ends of a connection, the first one accepted.
func onPair(play func(t *testing.T, c, p netConn) []any) func(*testing.T, stack) []any {
	return func(t *testing.T, s stack) []any {
		l := must(s.listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		p := must(s.dial("tcp", l.Addr().String()))(t)
		defer p.Close()
		c := must(l.Accept())(t)
		defer c.Close()
		return play(t, c.(netConn), p)
	}
}

// The same scenes, played with package net and with each form of this
// package, have the same outcome, to the last detail of the errors.
func TestErrorsAreThoseOfNet(t *testing.T) {
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			want := outcomes(scene.play(t, theirs))
			netDrivers(t, func(t *testing.T, r *Runtime) {
				for _, s := range ours {
					got := outcomes(scene.play(t, s))
					for i := range max(len(got), len(want)) {
						if g, w := at(got, i), at(want, i); g != w {
							t.Errorf("%s, result %d:\n got %s\nwant %s", s.name, i, g, w)
						}
					}
				}
			})
		})
	}
}

func outcomes(results []any) (out []string) {
	for _, r := range results {
		if err, ok := r.(error); ok {
			out = append(out, describe(err))
			continue
		}
		out = append(out, fmt.Sprint(r))
	}
	return out
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// later calls f on a goroutine and returns a function that waits for its result.
func later(f func() error) func() error {
	c := make(chan error, 1)
	go func() { c <- f() }()
	return func() error {
		select {
		case err := <-c:
			return err
		case <-time.After(20 * time.Second):
			return errors.New("never came back")
		}
	}
}

func write(t testing.TB, c net.Conn, s string) {
	t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		t.Fatal(err)
	}
}

func readAll(c net.Conn) (out []any) {
	for {
		b := make([]byte, 8)
		n, err := c.Read(b)
		out = append(out, string(b[:n]), err)
		if err != nil {
			return out
		}
	}
}

// addrs describes addresses without their ports.
func addrs(list ...net.Addr) string {
	var b strings.Builder
	for _, a := range list {
		tcp := a.(*net.TCPAddr)
		fmt.Fprintf(&b, "%s %s %d %q port=%v; ", a.Network(), tcp.IP, len(tcp.IP), tcp.Zone, tcp.Port != 0)
	}
	return b.String()
}

// waitReset waits until the kernel knows that the connection was reset.
func waitReset(t testing.TB, c netConn) {
	t.Helper()
	raw := must(c.SyscallConn())(t)
	waitFor(t, func() bool {
		var gone bool
		raw.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd)}}
			unix.Poll(fds, 0)
			gone = fds[0].Revents&unix.POLLHUP != 0
		})
		return gone
	})
}

// options reads the socket options that the package sets.
func options(t testing.TB, c netConn) (out []int) {
	t.Helper()
	raw := must(c.SyscallConn())(t)
	raw.Control(func(fd uintptr) {
		for _, o := range []struct{ level, name int }{
			{unix.IPPROTO_TCP, unix.TCP_NODELAY},
			{unix.SOL_SOCKET, unix.SO_KEEPALIVE},
			{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE},
			{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL},
			{unix.IPPROTO_TCP, unix.TCP_KEEPCNT},
			{unix.SOL_SOCKET, unix.SO_LINGER},
			{unix.SOL_SOCKET, unix.SO_REUSEADDR},
		} {
			v, err := unix.GetsockoptInt(int(fd), o.level, o.name)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, v)
		}
		flags, err := unix.FcntlInt(fd, unix.F_GETFD, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, flags&unix.FD_CLOEXEC)
	})
	return out
}

// anyTimeout describes a dial's timeout without saying which of package net's
// two errors of that text it is: see timeoutError.
func anyTimeout(err error) string {
	return strings.ReplaceAll(describe(err), " is(i/o timeout)", "")
}

// deafListener returns an address at which the kernel does not answer, because
// the queue of the listener there is full.
func deafListener(t testing.TB) (address string, stop func()) {
	t.Helper()
	fd := must(unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0))(t)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	sa := must(unix.Getsockname(fd))(t)
	address = fmt.Sprintf("127.0.0.1:%d", sa.(*unix.SockaddrInet4).Port)
	c := must(net.DialTimeout("tcp", address, 5*time.Second))(t)
	return address, func() {
		c.Close()
		unix.Close(fd)
	}
}
