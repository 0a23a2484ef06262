//go:build linux && !cogen_portable

package rttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// pair returns the two ends of a connection to host.
func pair(s *Sim, network, address string) (client, server *rt.Conn) {
	l, err := rt.Listen(network, address)
	if err != nil {
		s.Fatal(err)
	}
	defer l.Close()
	accepted := start(func() {
		if server, err = l.AcceptConn(); err != nil {
			s.Error(err)
		}
	})
	if client, err = rt.Dial(network, l.Addr().String()); err != nil {
		s.Fatal(err)
	}
	accepted.Wait()
	return client, server
}

// stream returns n bytes, different everywhere.
func bytesFrom(first, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte((first + i) * 7 / 3)
	}
	return b
}

// Bytes arrive once and in order, whatever the sizes of transfers, by all ways to read,
// and both ways at once.
func TestStream(t *testing.T) {
	Seeds(t, 300, func(s *Sim) {
		network, address := "tcp", "10.0.0.1:80"
		if s.Rand().IntN(3) == 0 {
			network, address = "unix", "@socket"
		}
		a, b := pair(s, network, address)
		total := 1 + s.Rand().IntN(40_000)
		send := func(c *rt.Conn) {
			for sent := 0; sent < total; {
				out := bytesFrom(sent, min(1+s.Rand().IntN(5000), total-sent))
				var n int
				var err error
				if half := len(out) / 2; s.Rand().IntN(2) == 0 {
					var n64 int64
					n64, err = c.WriteBuffers(&net.Buffers{out[:half], out[half:]})
					n = int(n64)
				} else {
					n, err = c.Write(out)
				}
				if n != len(out) || err != nil {
					s.Errorf("wrote %d of %d: %v", n, len(out), err)
					return
				}
				sent += n
			}
			if err := c.CloseWrite(); err != nil {
				s.Error(err)
			}
		}
		receive := func(c *rt.Conn) {
			got := 0
			for {
				var in []byte
				var err error
				if s.Rand().IntN(2) == 0 {
					in = make([]byte, 1+s.Rand().IntN(3000))
					var n int
					n, err = c.Read(in)
					in = in[:n]
				} else {
					var loan rt.Loan
					if loan, err = c.Borrow(); err == nil {
						in = bytes.Clone(loan.Bytes())
						loan.Return()
					}
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					s.Error(err)
					return
				}
				if !bytes.Equal(in, bytesFrom(got, len(in))) {
					s.Errorf("wrong bytes after %d", got)
				}
				got += len(in)
			}
			if got != total {
				s.Errorf("%d of %d bytes", got, total)
			}
		}
		var all []rt.Task
		for _, c := range []*rt.Conn{a, b} {
			all = append(all, start(func() { send(c) }), start(func() { receive(c) }))
		}
		for _, t := range all {
			t.Wait()
		}
		a.Close()
		b.Close()
	})
}

func TestRefused(t *testing.T) {
	Run(t, func(s *Sim) {
		for _, test := range []struct {
			network, address string
			want             error
		}{
			{"tcp", "10.0.0.1:80", syscall.ECONNREFUSED},
			{"tcp", "127.0.0.1:80", syscall.ECONNREFUSED},
			{"unix", "/nowhere", syscall.ENOENT},
			{"unix", "@nowhere", syscall.ECONNREFUSED},
		} {
			if c, err := rt.Dial(test.network, test.address); !errors.Is(err, test.want) {
				s.Errorf("%s %s: %v, %v", test.network, test.address, c, err)
			}
		}
	})
}

func TestAddresses(t *testing.T) {
	Run(t, func(s *Sim) {
		for _, test := range []struct{ listen, dial, local, remote string }{
			{"10.0.0.1:80", "10.0.0.1:80", "10.0.0.1", "10.0.0.1:80"},
			{"127.0.0.1:80", "127.0.0.1:80", "127.0.0.1", "127.0.0.1:80"},
			{":80", "10.0.0.2:80", "10.0.0.2", "10.0.0.2:80"},
			{":80", ":80", "127.0.0.1", "127.0.0.1:80"},
			{"[::1]:80", "[::1]:80", "::1", "[::1]:80"},
			{"0.0.0.0:80", "127.0.0.1:80", "127.0.0.1", "127.0.0.1:80"},
		} {
			l, err := rt.Listen("tcp", test.listen)
			if err != nil {
				s.Fatal(err)
			}
			if _, err := rt.Listen("tcp", test.listen); !errors.Is(err, syscall.EADDRINUSE) {
				s.Errorf("%s is listened at twice: %v", test.listen, err)
			}
			var server *rt.Conn
			accepted := start(func() { server, _ = l.AcceptConn() })
			c, err := rt.Dial("tcp", test.dial)
			if err != nil {
				s.Fatal(err)
			}
			accepted.Wait()
			normal := func(a net.Addr) string {
				ap := a.(*net.TCPAddr).AddrPort()
				return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()).String()
			}
			host, _, _ := net.SplitHostPort(normal(c.LocalAddr()))
			if host != test.local || normal(c.RemoteAddr()) != test.remote {
				s.Errorf("%s: %s to %s", test.dial, c.LocalAddr(), c.RemoteAddr())
			}
			if normal(server.LocalAddr()) != normal(c.RemoteAddr()) || normal(server.RemoteAddr()) != normal(c.LocalAddr()) {
				s.Errorf("%s: the server sees %s to %s", test.dial, server.LocalAddr(), server.RemoteAddr())
			}
			c.Close()
			server.Close()
			l.Close()
		}
	})
}

// A host that is cut off for a while delays what is sent, and loses nothing of a
// stream; for too long, and connections fail.
func TestIsolate(t *testing.T) {
	host := netip.MustParseAddr("10.0.0.1")
	Seeds(t, 50, func(s *Sim) {
		a, b := pair(s, "tcp", "10.0.0.1:80")
		s.Isolate(host)
		if _, err := a.Write([]byte("hello")); err != nil {
			s.Fatal(err)
		}
		b.SetReadDeadline(time.Now().Add(time.Minute))
		buf := make([]byte, 5)
		if _, err := io.ReadFull(b, buf); !errors.Is(err, os.ErrDeadlineExceeded) {
			s.Errorf("read from a host that is cut off: %v", err)
		}
		b.SetReadDeadline(time.Time{})
		s.Rejoin(host)
		if _, err := io.ReadFull(b, buf); err != nil || string(buf) != "hello" {
			s.Errorf("read %q, %v", buf, err)
		}
		if d := s.Elapsed(); d < time.Minute || d > 3*time.Minute {
			s.Errorf("a minute took %v", d)
		}

		s.Isolate(host)
		a.Write([]byte("hello"))
		if _, err := a.Read(buf); !errors.Is(err, syscall.ETIMEDOUT) {
			s.Errorf("read: %v, want a time-out", err)
		}
		before := time.Now()
		if _, err := rt.Dial("tcp", "10.0.0.1:80"); !errors.Is(err, syscall.ETIMEDOUT) || time.Since(before) < time.Minute {
			s.Errorf("dial: %v after %v, want a time-out", err, time.Since(before))
		}
		before = time.Now()
		if _, err := rt.DialTimeout("tcp", "10.0.0.1:80", time.Second); err == nil || time.Since(before) != time.Second {
			s.Errorf("dial: %v after %v, want a time-out after a second", err, time.Since(before))
		}
		a.Close()
		b.Close()
	})
}

func TestReset(t *testing.T) {
	Seeds(t, 50, func(s *Sim) {
		a, b := pair(s, "tcp", "10.0.0.1:80")
		reader := start(func() {
			if _, err := b.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				s.Errorf("read: %v", err)
			}
			if _, err := b.Write(make([]byte, 1)); !errors.Is(err, syscall.EPIPE) {
				s.Errorf("write: %v", err)
			}
		})
		rt.Sleep(time.Second)
		s.Reset(a)
		if _, err := a.Write(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			s.Errorf("write: %v", err)
		}
		if _, err := a.Read(make([]byte, 1)); err != io.EOF {
			s.Errorf("read: %v", err)
		}
		reader.Wait()
		a.Close()
		b.Close()

		// A reader that closes with bytes unread, as with a socket.
		a, b = pair(s, "tcp", "10.0.0.1:80")
		a.Write(make([]byte, 100))
		rt.Sleep(time.Second)
		b.Close()
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			s.Errorf("read: %v", err)
		}
		a.Close()
	})
	// By chance.
	resets := 0
	Config{Network: Network{Reset: 0.05}}.Seeds(t, 50, func(s *Sim) {
		a, b := pair(s, "tcp", "10.0.0.1:80")
		reader := start(func() { io.Copy(io.Discard, struct{ io.Reader }{b}) })
		for range 20 {
			if _, err := a.Write(make([]byte, 100)); errors.Is(err, syscall.ECONNRESET) {
				resets++
				break
			}
		}
		a.Close()
		reader.Wait()
		b.Close()
	})
	if resets == 0 {
		t.Error("no connection was reset")
	}
}

// Datagrams are whole, whatever happens to them, and everything does.
func TestDatagrams(t *testing.T) {
	var lost, doubled, overtaken int
	Config{Network: Network{Loss: 0.1, Duplicate: 0.1}}.Seeds(t, 30, func(s *Sim) {
		a, err := rt.ListenPacket("udp", "10.0.0.1:0")
		if err != nil {
			s.Fatal(err)
		}
		b, err := rt.ListenPacket("udp", "10.0.0.2:53")
		if err != nil {
			s.Fatal(err)
		}
		const n = 30
		for i := range n {
			out := bytesFrom(i, 10+i)
			out[0] = byte(i)
			if _, err := a.WriteTo(out, b.LocalAddr()); err != nil {
				s.Fatal(err)
			}
		}
		var got []int
		b.SetReadDeadline(time.Now().Add(time.Second))
		for {
			buf := make([]byte, 100)
			k, from, err := b.ReadFrom(buf)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				s.Fatal(err)
			}
			i := int(buf[0])
			want := bytesFrom(i, 10+i)
			want[0] = byte(i)
			if !bytes.Equal(buf[:k], want) || fmt.Sprint(from) != fmt.Sprint(a.LocalAddr()) {
				s.Errorf("%q from %v", buf[:k], from)
			}
			got = append(got, i)
		}
		for i := range n {
			switch k := countOf(got, i); {
			case k == 0:
				lost++
			case k == 2:
				doubled++
			case k > 2:
				s.Errorf("%d copies of a datagram", k)
			}
		}
		if !slices.IsSorted(got) {
			overtaken++
		}
		a.Close()
		b.Close()
	})
	if lost == 0 || doubled == 0 || overtaken == 0 {
		t.Errorf("%d datagrams lost, %d doubled, overtaken in %d worlds: want all of these", lost, doubled, overtaken)
	}

	Run(t, func(s *Sim) { // a connected socket hears that nobody is there
		c, err := rt.Dial("udp", "10.0.0.9:53")
		if err != nil {
			s.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("hello")); err != nil {
			s.Error(err)
		}
		if _, err := c.Read(make([]byte, 10)); !errors.Is(err, syscall.ECONNREFUSED) {
			s.Errorf("read: %v", err)
		}
	})
}

func countOf(list []int, v int) (n int) {
	for _, x := range list {
		if x == v {
			n++
		}
	}
	return n
}

// Who has nothing to do with a world does not find its sockets.
func TestSocketsOutlivingTheirWorld(t *testing.T) {
	var a, b *rt.Conn
	Run(t, func(s *Sim) {
		a, b = pair(s, "tcp", "10.0.0.1:80")
		s.Cleanup(func() { a.Close() })
	})
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, syscall.EBADF) {
		t.Errorf("read from a connection of a world that has ended: %v", err)
	}
	if err := b.Close(); !errors.Is(err, syscall.EBADF) {
		t.Errorf("close of a connection of a world that has ended: %v", err)
	}
}
