//go:build linux && !cogen_portable

package rt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// copyForms are the ways to copy to a connection.
var copyForms = []struct {
	name string
	copy func(dst *Conn, src io.Reader) (int64, error)
}{
	{"goroutine", func(dst *Conn, src io.Reader) (int64, error) { return dst.ReadFrom(src) }},
	{"async", func(dst *Conn, src io.Reader) (int64, error) { return Run(dst.ReadFromAsync(src)).Result() }},
	{"nested", func(dst *Conn, src io.Reader) (n int64, err error) {
		inTask(func() { n, err = io.Copy(dst, src) })
		return n, err
	}},
	{"write to", func(dst *Conn, src io.Reader) (int64, error) {
		if c, ok := src.(*Conn); ok {
			return Run(c.WriteToAsync(dst)).Result()
		}
		return io.Copy(dst, src)
	}},
}

func connPairOn(t *testing.T, network string) (client, server *Conn) {
	t.Helper()
	client, server, err := newConnPairOn(network)
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

// varied returns n bytes, none of which are repeated soon.
func varied(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8) ^ byte(i>>16)
	}
	return b
}

// drain reads c to its end, on a goroutine.
func drain(c net.Conn) <-chan []byte {
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(c)
		got <- b
	}()
	return got
}

// TestProxy copies from one connection to another, what comes in pieces of all sizes, also
// when the source has received ahead.
func TestProxy(t *testing.T) {
	data := varied(3 << 20)
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, network := range []string{"tcp", "unix"} {
			for _, form := range copyForms {
				for _, borrows := range []int{0, 6} {
					client, in := connPairOn(t, network)
					out, peer := connPairOn(t, network)
					got := drain(peer)
					go func() {
						for i, n := 0, 0; i < len(data); i += n {
							n = min(1+i%100_000, len(data)-i)
							client.Write(data[i : i+n])
							if i < 100 {
								time.Sleep(time.Millisecond) // as pieces
							}
						}
						client.CloseWrite()
					}()
					first := 0
					for range borrows { // from then on the connection receives ahead
						loan, err := Run(in.BorrowAsync()).Result()
						if err != nil {
							t.Fatal(err)
						}
						first += len(loan.Bytes())
						out.Write(loan.Bytes())
						loan.Return()
					}
					n, err := form.copy(out, in)
					if err != nil || int(n) != len(data)-first {
						t.Errorf("%s, %s, %d borrowed: %d, %v, want %d", network, form.name, borrows, n, err, len(data)-first)
					}
					out.Close()
					if b := <-got; !bytes.Equal(b, data) {
						t.Errorf("%s, %s, %d borrowed: %d bytes arrived, or others than were sent", network, form.name, borrows, len(b))
					}
					for _, c := range []*Conn{client, in, peer} {
						c.Close()
					}
				}
			}
		}
	})
}

// TestProxyLimited leaves what is beyond a limit to the next reader.
func TestProxyLimited(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, form := range copyForms[:3] {
			for _, borrows := range []int{0, 6} {
				client, in := connPair(t)
				out, peer := connPair(t)
				for range borrows {
					client.Write([]byte("-"))
					loan, err := Run(in.BorrowAsync()).Result()
					if err != nil {
						t.Fatal(err)
					}
					loan.Return()
				}
				client.Write([]byte("message, and more"))
				l := &io.LimitedReader{R: in, N: 7}
				if n, err := form.copy(out, l); n != 7 || err != nil || l.N != 0 {
					t.Errorf("%s: %d, %v, %d left", form.name, n, err, l.N)
				}
				buf := make([]byte, 20)
				if n, err := peer.ReadFull(buf[:7]); string(buf[:n]) != "message" {
					t.Errorf("%s: %q, %v", form.name, buf[:n], err)
				}
				if n, err := in.ReadFull(buf[:10]); string(buf[:n]) != ", and more" {
					t.Errorf("%s: left is %q, %v", form.name, buf[:n], err)
				}
				for _, c := range []*Conn{client, in, out, peer} {
					c.Close()
				}
			}
		}
	})
}

// TestProxyEnds has a copy end for other reasons than the end of its source.
func TestProxyEnds(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, c := range []struct {
			name string
			end  func(client, in, out, peer *Conn)
			want error
		}{
			{"source closed", func(_, in, _, _ *Conn) { in.Close() }, net.ErrClosed},
			{"destination closed", func(_, _, out, _ *Conn) { out.Close() }, net.ErrClosed},
			{"deadline of the source", func(_, in, _, _ *Conn) { in.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
			{"deadline of the destination", func(_, _, out, _ *Conn) { out.SetWriteDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		} {
			for _, form := range copyForms {
				client, in := connPair(t)
				out, peer := connPair(t)
				ended := make(chan error, 1)
				var writing sync.WaitGroup
				go func() {
					_, err := form.copy(out, in)
					ended <- err
				}()
				// Nobody reads at the other end, so the copy gets stuck there; or here, if
				// nothing is sent.
				if c.name != "source closed" && c.name != "deadline of the source" {
					writing.Go(func() { client.Write(make([]byte, 64<<20)) })
					time.Sleep(10 * time.Millisecond)
				}
				c.end(client, in, out, peer)
				if err := <-ended; !errors.Is(err, c.want) {
					t.Errorf("%s, %s: %v", c.name, form.name, err)
				}
				for _, c := range []*Conn{client, in, out, peer} {
					c.Close()
				}
				writing.Wait()
			}
		}
		t.Run("cancelled", func(t *testing.T) {
			client, in := connPair(t)
			out, peer := connPair(t)
			f := Run(WithTimeoutAsync(time.Millisecond, out.ReadFromAsync(in))).Result()
			if n, err := f.Result(); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d, %v", n, err)
			}
			for _, c := range []*Conn{client, in, out, peer} {
				c.Close()
			}
		})
	})
}

// TestSendFile sends a file, from its position on, all of it or a part.
func TestSendFile(t *testing.T) {
	data := varied(5 << 20)
	netDrivers(t, func(t *testing.T, r *Runtime) {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		was := noCachestat.Load()
		defer noCachestat.Store(was)
		for i, network := range []string{"tcp", "unix"} {
			// As if it had to come from a disk.
			noCachestat.Store(i == 0 || was)
			for _, form := range copyForms {
				for _, limit := range []int64{-1, 1 << 20} {
					f := must(Open(name))(t)
					if _, err := f.Seek(1000, io.SeekStart); err != nil {
						t.Fatal(err)
					}
					out, peer := connPairOn(t, network)
					got := drain(peer)
					var src io.Reader = f
					want := data[1000:]
					if limit >= 0 {
						src, want = io.LimitReader(f, limit), want[:limit]
					}
					if n, err := form.copy(out, src); int(n) != len(want) || err != nil {
						t.Errorf("%s, %s, limit %d: %d, %v", network, form.name, limit, n, err)
					}
					if at, err := f.Seek(0, io.SeekCurrent); int(at) != 1000+len(want) {
						t.Errorf("%s, %s, limit %d: the position is %d, %v", network, form.name, limit, at, err)
					}
					out.Close()
					if b := <-got; !bytes.Equal(b, want) {
						t.Errorf("%s, %s, limit %d: %d bytes arrived, or others than were sent", network, form.name, limit, len(b))
					}
					peer.Close()
					f.Close()
				}
			}
		}
	})
}

// TestSendSeldomFiles sends what sendfile refuses, or what has to come from a disk.
func TestSendSeldomFiles(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, name := range []string{"/proc/self/stat", "/proc/version"} {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Skip(err)
			}
			for _, form := range copyForms {
				f := must(Open(name))(t)
				out, peer := connPair(t)
				got := drain(peer)
				if n, err := form.copy(out, f); n == 0 || err != nil {
					t.Errorf("%s, %s: %d, %v", name, form.name, n, err)
				}
				out.Close()
				if b := <-got; len(b) == 0 || name == "/proc/version" && !bytes.Equal(b, want) {
					t.Errorf("%s, %s: %q arrived", name, form.name, b)
				}
				peer.Close()
				f.Close()
			}
		}
	})
}
