package rt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// packetForms are the ways to use a PacketConn.
var packetForms = []struct {
	name string
	wrap func(*PacketConn) net.PacketConn
}{
	{"goroutine", func(c *PacketConn) net.PacketConn { return c }},
	{"async", func(c *PacketConn) net.PacketConn { return asyncPacketConn{c} }},
	{"nested", func(c *PacketConn) net.PacketConn { return nestedPacketConn{c} }},
}

type asyncPacketConn struct{ *PacketConn }

func (c asyncPacketConn) ReadFrom(b []byte) (int, net.Addr, error) {
	f := c.ReadFromAsync(b)
	return Run(f).Result()
}

func (c asyncPacketConn) WriteTo(b []byte, a net.Addr) (int, error) {
	f := c.WriteToAsync(b, a)
	return Run(f).Result()
}

type nestedPacketConn struct{ *PacketConn }

func (c nestedPacketConn) ReadFrom(b []byte) (n int, a net.Addr, err error) {
	inTask(func() { n, a, err = c.PacketConn.ReadFrom(b) })
	return n, a, err
}

func (c nestedPacketConn) WriteTo(b []byte, a net.Addr) (n int, err error) {
	inTask(func() { n, err = c.PacketConn.WriteTo(b, a) })
	return n, err
}

// packetScenes are played with package net's sockets and with ours, and must come out
// the same. The address of the socket is replaced where it shows.
func playPackets(t *testing.T, network string, listen func(network, address string) (net.PacketConn, error)) (out []string) {
	note := func(args ...any) {
		for i, a := range args {
			switch a := a.(type) {
			case error:
				args[i] = describe(a)
			case net.Addr:
				args[i] = fmt.Sprintf("%T %s", a, a)
			}
		}
		s := fmt.Sprintln(args...)
		for i := range 20 {
			s = strings.ReplaceAll(s, fmt.Sprintf("@cogen-test-%d-%d", os.Getpid(), int(lastName.Load())-i), "NAME")
		}
		out = append(out, ports.ReplaceAllString(s, "$1:P"))
	}
	one := must(listen(network, anyAddress(network)))(t)
	two := must(listen(network, anyAddress(network)))(t)
	note(one.LocalAddr())
	buf := make([]byte, 10)
	for _, size := range []int{0, 1, 10, 11, 1000} {
		n, err := one.WriteTo(bytes.Repeat([]byte{byte(size)}, size), two.LocalAddr())
		note("sent", n, err)
		n, from, err := two.ReadFrom(buf)
		note("got", buf[:n], from, err)
	}
	for _, a := range []net.Addr{nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, (*net.UDPAddr)(nil), &net.UDPAddr{IP: net.IPv6loopback, Port: 1},
		&net.UnixAddr{Name: "@nobody-is-there", Net: "unixgram"}, &net.UnixAddr{Name: "x", Net: "unix"}} {
		if _, udp := a.(*net.UDPAddr); udp && network == "unixgram" {
			continue
		}
		n, err := one.WriteTo([]byte("x"), a)
		note("to", a, n, err)
	}
	_, err := one.WriteTo(make([]byte, 70_000), two.LocalAddr())
	if network != "unixgram" {
		note("too long", err)
	}
	// Some of these have arrived; they are taken before the socket has to be empty.
	one.WriteTo([]byte("the last"), two.LocalAddr())
	for n := 0; string(buf[:n]) != "the last"; {
		n, _, err = two.ReadFrom(buf)
		if err != nil {
			t.Fatal(err)
		}
	}
	two.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, _, err = two.ReadFrom(buf)
	note("deadline", err)
	two.SetDeadline(time.Time{})
	ended := make(chan error)
	go func() {
		_, _, err := two.ReadFrom(buf)
		ended <- err
	}()
	time.Sleep(5 * time.Millisecond)
	note("close", two.Close(), <-ended)
	_, _, err = two.ReadFrom(buf)
	note("after close", err)
	_, err = two.WriteTo(buf, one.LocalAddr())
	note("after close", err, two.Close())
	one.Close()
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:70000", strings.Repeat("x", 200)} {
		if network == "unixgram" && address != strings.Repeat("x", 200) {
			continue
		}
		c, err := listen(network, address)
		note("listen", err)
		if err == nil {
			c.Close()
		}
	}
	// Not unix: package net listens there, at a file of that name, and leaves it.
	for _, n := range []string{"tcp", "udp5"} {
		_, err := listen(n, "127.0.0.1:0")
		note("listen", n, err != nil)
	}
	return out
}

func TestPacketsAreThoseOfNet(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, network := range []string{"udp", "udp4", "unixgram"} {
			want := playPackets(t, network, net.ListenPacket)
			for _, f := range packetForms {
				got := playPackets(t, network, func(network, address string) (net.PacketConn, error) {
					c, err := ListenPacket(network, address)
					if err != nil {
						return nil, err
					}
					return f.wrap(c), nil
				})
				for i := range max(len(got), len(want)) {
					if i >= len(got) || i >= len(want) || got[i] != want[i] {
						t.Fatalf("%s, %s, %d:\n got %s\nwant %s", network, f.name, i, got[i], want[i])
					}
				}
			}
		}
	})
}

// Datagrams through connected sockets keep their bounds; an empty one is no end.
func TestConnectedDatagrams(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, network := range []string{"udp", "unixgram", "unixpacket"} {
			var c, p net.Conn
			if network == "unixpacket" {
				a, b, err := newConnPairOn(network)
				if err != nil {
					t.Fatal(err)
				}
				c, p = a, b
			} else {
				server := must(ListenPacket(network, anyAddress(network)))(t)
				c = must(Dial(network, server.LocalAddr().String()))(t)
				defer server.Close()
				for _, size := range []int{5, 0, 100} {
					if size == 0 && network == "unixgram" {
						continue
					}
					if n, err := c.Write(make([]byte, size)); n != size || err != nil {
						t.Fatalf("%s: %d, %v", network, n, err)
					}
					buf := make([]byte, 50)
					n, from, err := server.ReadFrom(buf)
					if n != min(size, 50) || err != nil {
						t.Errorf("%s: %d, %v", network, n, err)
					}
					if network == "udp" && from.String() != c.LocalAddr().String() {
						t.Errorf("%s: from %v", network, from)
					}
					if network == "udp" {
						must(server.WriteTo(buf[:n], from))(t)
						if k, err := c.Read(buf); k != n || err != nil {
							t.Errorf("%s: read %d, %v", network, k, err)
						}
					}
				}
				c.Close()
				continue
			}
			for _, size := range []int{5, 300} {
				c.Write(make([]byte, size))
				buf := make([]byte, 100)
				if n, err := p.Read(buf); n != min(size, 100) || err != nil {
					t.Errorf("%s: %d, %v", network, n, err)
				}
			}
			c.Close()
			if n, err := p.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%s: %d, %v, want EOF", network, n, err)
			}
			p.Close()
		}
	})
}

func TestUDPAddrPort(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		a, b := must(ListenPacket("udp4", "127.0.0.1:0"))(t), must(ListenPacket("udp4", "127.0.0.1:0"))(t)
		defer a.Close()
		defer b.Close()
		to := netip.MustParseAddrPort(b.LocalAddr().String())
		buf := make([]byte, 100)
		inTask(func() {
			for i := range 10 {
				if n, err := a.WriteToUDPAddrPort(buf[:i], to); n != i || err != nil {
					t.Errorf("%d, %v", n, err)
				}
				n, from, err := b.ReadFromUDPAddrPort(buf)
				if n != i || err != nil || from.String() != a.LocalAddr().String() {
					t.Errorf("%d, %v, %v", n, from, err)
				}
			}
		})
		if _, err := a.WriteToUDPAddrPort(buf, netip.MustParseAddrPort("[::1]:1")); err == nil {
			t.Error("an IPv6 address can be sent to on IPv4")
		}
	})
}

// A UNIX listener's file is there until it is closed.
func TestUnixListenerFile(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		name := filepath.Join(t.TempDir(), "socket")
		for range 2 {
			l := must(Listen("unix", name))(t)
			if _, err := Listen("unix", name); err == nil {
				t.Error("listens twice")
			}
			c := must(Dial("unix", name))(t)
			s := must(l.AcceptConn())(t)
			if got := c.RemoteAddr().String(); got != name {
				t.Errorf("connected to %q", got)
			}
			if got, at := s.RemoteAddr().String(), s.LocalAddr().String(); got != "@" || at != name {
				t.Errorf("accepted from %q at %q", got, at)
			}
			c.Close()
			s.Close()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file is left over: %v", err)
			}
		}
		if _, err := Dial("unix", name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v, want that there is no such file", err)
		}
	})
}

// Several listeners share a port, and all of them get connections.
func TestReusePort(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		config := ListenConfig{ReusePort: true}
		first := must(config.Listen("tcp", "127.0.0.1:0"))(t)
		second := must(config.Listen("tcp", first.Addr().String()))(t)
		var mu sync.Mutex
		got := map[*Listener]int{}
		var accepting sync.WaitGroup
		for _, l := range []*Listener{first, second} {
			accepting.Go(func() {
				for {
					c, err := l.AcceptConn()
					if err != nil {
						return
					}
					c.Close()
					mu.Lock()
					got[l]++
					mu.Unlock()
				}
			})
		}
		total := func() int { return got[first] + got[second] }
		for i := range 200 {
			must(Dial("tcp", first.Addr().String()))(t).Close()
			waitFor(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return total() == i+1
			})
		}
		first.Close()
		second.Close()
		accepting.Wait()
		if got[first] == 0 || got[second] == 0 {
			t.Errorf("of 200 connections one listener got %d, the other %d", got[first], got[second])
		}
	})
}

// WriteBuffers writes what Write would, consuming its argument, and says how far it
// came.
func TestWriteBuffers(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer p.Close()
		var want []byte
		var bufs net.Buffers
		for i := range 3000 {
			b := bytes.Repeat([]byte{byte(i)}, i%700)
			want = append(want, b...)
			bufs = append(bufs, b)
		}
		got := make(chan []byte)
		go func() {
			b, _ := io.ReadAll(p)
			got <- b
		}()
		for _, where := range []func(func()){inTask, func(f func()) { f() }} {
			where(func() {
				v := append(net.Buffers(nil), bufs...)
				n, err := c.WriteBuffers(&v)
				if n != int64(len(want)) || err != nil || len(v) != 0 {
					t.Errorf("%d bytes of %d, %v, %d buffers left", n, len(want), err, len(v))
				}
			})
		}
		var none net.Buffers
		if n, err := c.WriteBuffers(&none); n != 0 || err != nil {
			t.Errorf("nothing: %d, %v", n, err)
		}
		c.CloseWrite()
		if b := <-got; !bytes.Equal(b, append(want, want...)) {
			t.Errorf("%d bytes have arrived, want twice %d", len(b), len(want))
		}
		c.SetWriteDeadline(time.Unix(1, 0))
		v := net.Buffers{[]byte("x")}
		if n, err := c.WriteBuffers(&v); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || len(v) != 1 {
			t.Errorf("%d, %v, %d left", n, err, len(v))
		}
		c.Close()
		if _, err := c.WriteBuffers(&v); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v, want closed", err)
		}
	})
}
