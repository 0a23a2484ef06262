package rt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// form is one way of making the calls of a connection.
type form struct {
	name string
	wrap func(*Conn) netConn
}

var connForms = []form{{"goroutine", identity}, {"nested", inNested}, {"async", inAsync}}

// Close ends whatever is pending in any form, with net.ErrClosed, and returns
// only then.
func TestCloseEndsAllThatIsPending(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for round := range 30 {
			c, p := connPair(t)
			var pending sync.WaitGroup
			for i := range 12 {
				conn := connForms[i%len(connForms)].wrap(c)
				pending.Go(func() {
					n, err := conn.Read(make([]byte, 10))
					if n != 0 || !errors.Is(err, net.ErrClosed) {
						t.Errorf("read: %d, %v", n, err)
					}
				})
				pending.Go(func() {
					// The first writes until the buffers are full, the others queue.
					n, err := conn.Write(make([]byte, 16<<20))
					if n == 16<<20 || !errors.Is(err, net.ErrClosed) {
						t.Errorf("write: %d, %v", n, err)
					}
				})
			}
			if round%2 == 0 {
				time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			}
			if err := connForms[round%3].wrap(c).Close(); err != nil {
				t.Error(err)
			}
			pending.Wait()
			if !c.fd.idle() {
				t.Error("the descriptor is in use after Close")
			}
			p.Close()
		}
	})
}

// Of many that close at once, from a task with a read of its own pending
// elsewhere, one succeeds and the others get net.ErrClosed.
func TestCloseOnce(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for range 50 {
			c, p := connPair(t)
			read := later(func() error { _, err := c.Read(make([]byte, 1)); return err })
			results := make(chan error, 9)
			for i := range cap(results) {
				go func() { results <- connForms[i%len(connForms)].wrap(c).Close() }()
			}
			closed := 0
			for range cap(results) {
				switch err := <-results; {
				case err == nil:
					closed++
				case !errors.Is(err, net.ErrClosed):
					t.Error(err)
				}
			}
			if closed != 1 {
				t.Errorf("%d calls of Close succeeded, want 1", closed)
			}
			if err := read(); !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			p.Close()
		}
	})
}

// Accepts from tasks and goroutines wait on one listener; each connection goes to
// one of them, and Close ends the others.
func TestManyAccept(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for range 10 {
			l := must(Listen("tcp", "127.0.0.1:0"))(t)
			listeners := []net.Listener{l, nestedListener{l}, asyncListener{l}}
			var accepting sync.WaitGroup
			accepted := make(chan net.Conn, 100)
			for i := range 9 {
				accepting.Go(func() {
					for {
						c, err := listeners[i%3].Accept()
						if err != nil {
							if !errors.Is(err, net.ErrClosed) {
								t.Error(err)
							}
							return
						}
						accepted <- c
					}
				})
			}
			seen := make(map[string]bool)
			for range 30 {
				c := dialNet(t, l.Addr().String())
				p := <-accepted
				seen[p.RemoteAddr().String()] = true
				p.Close()
				c.Close()
			}
			if len(seen) != 30 {
				t.Errorf("%d different connections were accepted, want 30", len(seen))
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			accepting.Wait()
			if len(accepted) != 0 {
				t.Errorf("%d connections that nobody made", len(accepted))
			}
		}
	})
}

// Deadlines that come, go and move while operations are pending make
// operations fail, but lose and repeat no byte.
func TestDeadlineStorm(t *testing.T) {
	const total = 400_000
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, f := range connForms {
			t.Run(f.name, func(t *testing.T) {
				c, p := connPair(t)
				defer c.Close()
				defer p.Close()
				reader, writer := f.wrap(c), f.wrap(p)
				stop := make(chan struct{})
				var storm sync.WaitGroup
				for range 3 {
					storm.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							var at time.Time
							switch rand.IntN(4) {
							case 0:
								at = time.Now().Add(-time.Second)
							case 1, 2:
								at = time.Now().Add(time.Duration(rand.IntN(300)) * time.Microsecond)
							}
							if rand.IntN(2) == 0 {
								c.SetReadDeadline(at)
							} else {
								p.SetWriteDeadline(at)
							}
							time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
						}
					})
				}
				want := noise(3, total)
				var ends sync.WaitGroup
				ends.Go(func() {
					for rest := want; len(rest) > 0; {
						n, err := writer.Write(rest[:min(len(rest), 1+rand.IntN(5000))])
						rest = rest[n:]
						if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
							t.Error(err)
							return
						}
					}
				})
				var got []byte
				ends.Go(func() {
					b := make([]byte, 3000)
					for len(got) < total {
						n, err := reader.Read(b)
						got = append(got, b[:n]...)
						if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
							t.Error(err)
							return
						}
					}
				})
				ends.Wait()
				close(stop)
				storm.Wait()
				if !bytes.Equal(got, want) {
					t.Error("the stream was changed")
				}
			})
		}
	})
}

// Many operations with deadlines that pass all at once: each ends with its own.
func TestManyDeadlinesAtOnce(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		var pairs [200][2]*Conn
		at := time.Now().Add(100 * time.Millisecond)
		var reads sync.WaitGroup
		for i := range pairs {
			c, p := connPair(t)
			pairs[i] = [2]*Conn{c, p}
			c.SetReadDeadline(at)
			conn := connForms[i%len(connForms)].wrap(c)
			reads.Go(func() {
				n, err := conn.Read(make([]byte, 1))
				if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("read: %d, %v", n, err)
				}
				if time.Now().Before(at) {
					t.Error("the deadline came early")
				}
			})
		}
		reads.Wait()
		for _, pair := range pairs {
			pair[0].Close()
			pair[1].Close()
		}
	})
}

// What one Write writes is in one piece, whoever else writes.
func TestWritesAreNotInterleaved(t *testing.T) {
	const writers, rounds, size = 9, 10, 150_000
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		var writing sync.WaitGroup
		for i := range writers {
			conn := connForms[i%len(connForms)].wrap(c)
			writing.Go(func() {
				block := bytes.Repeat([]byte{byte(i)}, size)
				for range rounds {
					if n, err := conn.Write(block); n != size || err != nil {
						t.Errorf("write: %d, %v", n, err)
					}
				}
			})
		}
		var seen [writers]int
		block := make([]byte, size)
		for range writers * rounds {
			if _, err := p.ReadFull(block); err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(block, block[:1]); n != size {
				t.Fatalf("a block has %d bytes of the same write, want %d", n, size)
			}
			seen[block[0]]++
		}
		writing.Wait()
		for i, n := range seen {
			if n != rounds {
				t.Errorf("writer %d: %d blocks, want %d", i, n, rounds)
			}
		}
	})
}

// Of several that read at once each byte goes to exactly one.
func TestReadsShareTheStream(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		var reading sync.WaitGroup
		var mu sync.Mutex
		var got [256]int
		for i := range 6 {
			conn := connForms[i%len(connForms)].wrap(c)
			reading.Go(func() {
				b := make([]byte, 37)
				for {
					n, err := conn.Read(b)
					mu.Lock()
					for _, v := range b[:n] {
						got[v]++
					}
					mu.Unlock()
					if err != nil {
						if err != io.EOF {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		var want [256]int
		out := noise(4, 50_000)
		for _, v := range out {
			want[v]++
		}
		for len(out) > 0 {
			n := min(len(out), 1+rand.IntN(300))
			if _, err := p.Write(out[:n]); err != nil {
				t.Error(err)
			}
			out = out[n:]
		}
		p.Close()
		reading.Wait()
		if got != want {
			t.Error("what the readers got together is not what was sent")
		}
	})
}

// Connections come and go all the time, and are closed amidst their reads and
// writes, so that descriptors are used again at once. Every byte carries the
// number of its connection: none may ever arrive at another one.
func TestDescriptorsAreUsedAgain(t *testing.T) {
	const churners, rounds = 24, 60
	netDrivers(t, func(t *testing.T, r *Runtime) {
		// The server sends back the tag that it has read first, on and on.
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				tag := make([]byte, 4)
				if _, err := c.ReadFull(tag); err != nil {
					return
				}
				block := bytes.Repeat(tag, 500)
				for {
					if _, err := c.Write(block); err != nil {
						return
					}
				}
			}))
		})
		defer stop()
		var churn sync.WaitGroup
		for i := range churners {
			f := connForms[i%len(connForms)]
			churn.Go(func() {
				for round := range rounds {
					if err := churnOnce(address, f, uint32(i)<<16|uint32(round)); err != nil {
						t.Errorf("%s: %v", f.name, err)
						return
					}
				}
			})
		}
		churn.Wait()
	})
}

func churnOnce(address string, f form, tag uint32) error {
	inner, err := Dial("tcp", address)
	if err != nil {
		return err
	}
	c := f.wrap(inner)
	want := binary.LittleEndian.AppendUint32(nil, tag)
	if _, err := c.Write(want); err != nil {
		c.Close()
		return err
	}
	closed := make(chan error, 1)
	go func() {
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
		closed <- c.Close()
	}()
	b := make([]byte, 999)
	for at := 0; ; {
		n, err := c.Read(b)
		for _, got := range b[:n] {
			if got != want[at%4] {
				return fmt.Errorf("connection %x got a byte that is another's", tag)
			}
			at++
		}
		if err != nil {
			if cerr := <-closed; cerr != nil {
				return cerr
			}
			if !errors.Is(err, net.ErrClosed) {
				return err
			}
			return nil
		}
	}
}

// A runtime that is closed lets go of connections with pending operations:
// they can be closed afterwards, by whoever still has them.
func TestCloseAfterTheRuntime(t *testing.T) {
	Default() // it has descriptors of its own
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			before := openDescriptors(t)
			r := newRuntime(t, m.name, 2)
			standIn.Store(r)
			address, _ := startEcho(t, r)
			standIn.Store(nil)
			var clients []net.Conn
			var mine []*Conn
			for range 10 {
				clients = append(clients, dialNet(t, address))
				c, p := connPair(t)
				mine = append(mine, c, p)
				// One of these waits for the socket, the others for their turn.
				for range 3 {
					read := c.ReadAsync(make([]byte, 1))
					r.Go(&read)
				}
				// The stack of this one is unwound, and its deferred Close runs.
				r.Go(plainly(func() {
					defer p.Close()
					p.Read(make([]byte, 1))
				}))
			}
			time.Sleep(20 * time.Millisecond)
			closing := later(r.Close)
			for _, c := range mine {
				if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
			}
			if err := closing(); err != nil {
				t.Error(err)
			}
			for _, c := range clients {
				c.Close()
			}
			// The echo tasks' own are lost with them: ten connections and the listener.
			if left := openDescriptors(t) - before; left > 11 {
				t.Errorf("%d descriptors are left open, want at most 11", left)
			}
		})
	}
}

// Listeners are closed while clients connect and accepts are under way. What
// was accepted all the same is closed, by the package or by its receiver.
func TestCloseWhileAccepting(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for range 40 {
			l := must(Listen("tcp", "127.0.0.1:0"))(t)
			var busy sync.WaitGroup
			for _, acceptor := range []net.Listener{l, nestedListener{l}, asyncListener{l}} {
				busy.Go(func() {
					for {
						c, err := acceptor.Accept()
						if err != nil {
							if !errors.Is(err, net.ErrClosed) {
								t.Error(err)
							}
							return
						}
						c.Close()
					}
				})
				busy.Go(func() {
					for {
						c, err := net.Dial("tcp", l.Addr().String())
						if err != nil {
							return
						}
						c.Close()
					}
				})
			}
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			busy.Wait()
		}
	})
}

// Dials that are given up at any moment either connect or fail for the reason
// they were given up for, and leave nothing behind.
func TestDialsGivenUp(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startEcho(t, r)
		defer stop()
		deaf, quiet := deafListener(t)
		defer quiet()
		var dials sync.WaitGroup
		for i := range 60 {
			dials.Go(func() {
				for round := range 10 {
					patience := time.Duration(rand.IntN(1000)) * time.Microsecond
					ctx, cancel := context.WithCancel(context.Background())
					reason := context.Canceled
					if i%3 == 0 {
						ctx, cancel = context.WithTimeout(ctx, patience)
						reason = context.DeadlineExceeded
					} else {
						time.AfterFunc(patience, cancel)
					}
					to := address
					if round%2 == 0 {
						to = deaf
					}
					c, err := ours[i%len(ours)].dialContext(ctx, "tcp", to)
					switch {
					case err == nil && to == deaf:
						t.Error("connected to a listener that does not answer")
						c.Close()
					case err == nil:
						if err := echoes(c, uint64(i), 100); err != nil {
							t.Errorf("on a connection whose dial was given up too late: %v", err)
						}
						c.Close()
					case !errors.Is(err, reason):
						t.Errorf("dial failed with %v, want %v", err, reason)
					}
					cancel()
				}
			})
		}
		dials.Wait()
	})
}

// The raw connection waits for readiness, and ends with its connection.
func TestRawConn(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer p.Close()
		raw := must(c.SyscallConn())(t)
		read := func(b []byte) (n int, err error) {
			rerr := raw.Read(func(fd uintptr) bool {
				n, err = unix.Read(int(fd), b)
				return err != unix.EAGAIN
			})
			if rerr != nil {
				return 0, rerr
			}
			return n, err
		}
		inTask(func() {
			Go(plainly(func() {
				Sleep(20 * time.Millisecond)
				p.Write([]byte("late"))
			}))
			b := make([]byte, 10)
			if n, err := read(b); string(b[:n]) != "late" || err != nil {
				t.Errorf("read %q, %v", b[:n], err)
			}
		})
		if err := raw.Write(func(uintptr) bool { return true }); err != nil {
			t.Error(err)
		}
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read after its deadline: %v", err)
		}
		c.SetReadDeadline(time.Time{})
		pending := later(func() error { _, err := read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := pending(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a read on a connection that is closed meanwhile: %v", err)
		}
		if err := raw.Control(func(uintptr) { t.Error("called with a closed descriptor") }); !errors.Is(err, net.ErrClosed) {
			t.Errorf("control of a closed connection: %v", err)
		}
	})
}
