package rt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An echoFrame is a frame, as cogen would generate it, of
//
//	func echo(c *rt.Conn, size int) {
//		defer c.Close()
//		buf := make([]byte, size)
//		for {
//			n, err := c.Read(buf)
//			if err != nil {
//				return
//			}
//			if _, err := c.Write(buf[:n]); err != nil {
//				return
//			}
//		}
//	}
type echoFrame struct {
	state int
	conn  *Conn
	buf   []byte
	read  ReadFuture
	write WriteFuture
	close CloseFuture
}

func echoAsync(c *Conn, size int) *echoFrame {
	return &echoFrame{conn: c, buf: make([]byte, size)}
}

func (f *echoFrame) Poll(cx *Context) bool {
	switch f.state {
	case 1:
		goto reading
	case 2:
		goto writing
	case 3:
		goto closing
	}
read:
	f.read.Init(f.conn, f.buf)
reading:
	if !f.read.Poll(cx) {
		f.state = 1
		return false
	}
	{
		n, err := f.read.Result()
		if err != nil {
			goto close
		}
		f.write.Init(f.conn, f.buf[:n])
	}
writing:
	if !f.write.Poll(cx) {
		f.state = 2
		return false
	}
	if _, err := f.write.Result(); err != nil {
		goto close
	}
	goto read
close:
	f.close.Init(f.conn)
closing:
	if !f.close.Poll(cx) {
		f.state = 3
		return false
	}
	return true
}

// An acceptFrame is a frame of
//
//	func serve(l *rt.Listener, handle func(*rt.Conn)) error {
//		for {
//			c, err := l.AcceptConn()
//			if err != nil {
//				return err
//			}
//			handle(c)
//		}
//	}
type acceptFrame struct {
	listener *Listener
	handle   func(*Conn)
	started  bool
	accept   AcceptConnFuture
	err      error
}

func (f *acceptFrame) Poll(cx *Context) bool {
	for {
		if !f.started {
			f.accept.Init(f.listener)
			f.started = true
		}
		if !f.accept.Poll(cx) {
			return false
		}
		f.started = false
		c, err := f.accept.Result()
		if err != nil {
			f.err = err
			return true
		}
		f.handle(c)
	}
}

// startServer has r accept connections and give each to handle, in a task of r.
// The function it returns ends that, and waits until it has.
func startServer(t testing.TB, r *Runtime, handle func(*Conn)) (address string, stop func()) {
	t.Helper()
	l := must(Listen("tcp", "127.0.0.1:0"))(t)
	accepts := &acceptFrame{listener: l, handle: handle}
	task := r.Go(accepts)
	return l.Addr().String(), func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		task.Wait()
		if !errors.Is(accepts.err, net.ErrClosed) {
			t.Errorf("accepting ended with %v, want net.ErrClosed", accepts.err)
		}
	}
}

// startEcho is startServer for echo tasks, on all workers of r.
func startEcho(t testing.TB, r *Runtime) (address string, stop func()) {
	t.Helper()
	next := 0
	return startServer(t, r, func(c *Conn) {
		w := r.workers[next%len(r.workers)]
		next++
		w.spawnFrom(echoAsync(c, 4096), nil)
	})
}

// echoes checks that what is written to c comes back, in pieces of random
// sizes, size bytes in all.
func echoes(c net.Conn, seed uint64, size int) error {
	want := noise(seed, size)
	sent := make(chan error, 1)
	go func() {
		rest, random := want, rand.New(rand.NewPCG(seed, 1))
		for len(rest) > 0 {
			n := min(1+random.IntN(9000), len(rest))
			if _, err := c.Write(rest[:n]); err != nil {
				sent <- err
				return
			}
			rest = rest[n:]
		}
		sent <- nil
	}()
	got := make([]byte, size)
	if _, err := io.ReadFull(c, got); err != nil {
		return err
	}
	if err := <-sent; err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("the echo differs from what was sent")
	}
	return nil
}

// noise returns n bytes that depend on seed.
func noise(seed uint64, n int) []byte {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	b := make([]byte, n)
	rand.NewChaCha8(key).Read(b)
	return b
}

func dialNet(t testing.TB, address string) *net.TCPConn {
	t.Helper()
	c := must(net.Dial("tcp", address))(t).(*net.TCPConn)
	c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// Clients that misbehave are their own problem: the echo tasks go on serving
// others, and end when theirs has gone.
func TestServerSurvivesItsClients(t *testing.T) {
	clients := []struct {
		name string
		play func(t *testing.T, c *net.TCPConn)
	}{
		{"connects and leaves", func(t *testing.T, c *net.TCPConn) {}},
		{"resets at once", func(t *testing.T, c *net.TCPConn) { c.SetLinger(0) }},
		{"leaves amidst its write", func(t *testing.T, c *net.TCPConn) {
			go c.Write(make([]byte, 8<<20))
			time.Sleep(20 * time.Millisecond)
		}},
		{"resets amidst its write", func(t *testing.T, c *net.TCPConn) {
			c.SetLinger(0)
			go c.Write(make([]byte, 8<<20))
			time.Sleep(20 * time.Millisecond)
		}},
		{"leaves amidst the reply", func(t *testing.T, c *net.TCPConn) {
			c.Write(make([]byte, 1<<20))
			c.Read(make([]byte, 10))
		}},
		{"closes half", func(t *testing.T, c *net.TCPConn) {
			want := noise(1, 300_000)
			go func() {
				c.Write(want)
				c.CloseWrite()
			}()
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes and %v, want the %d that were sent and the end", len(got), err, len(want))
			}
		}},
		{"trickles", func(t *testing.T, c *net.TCPConn) {
			var b [1]byte
			for i := range 300 {
				if _, err := c.Write([]byte{byte(i)}); err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Read(b[:]); err != nil || b[0] != byte(i) {
					t.Errorf("byte %d came back as %d, %v", i, b[0], err)
					return
				}
			}
		}},
		{"never reads", func(t *testing.T, c *net.TCPConn) {
			// Once nothing goes in either direction, time runs out.
			c.SetWriteDeadline(time.Now().Add(150 * time.Millisecond))
			n, err := c.Write(make([]byte, 64<<20))
			if ne, ok := err.(net.Error); !ok || !ne.Timeout() {
				t.Errorf("wrote %d bytes and got %v; want the server to stop reading", n, err)
			}
		}},
		{"reads late", func(t *testing.T, c *net.TCPConn) {
			want := noise(2, 6<<20)
			go c.Write(want)
			time.Sleep(100 * time.Millisecond)
			got := make([]byte, len(want))
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the reply is not what was sent: %v", err)
			}
		}},
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startEcho(t, r)
		defer stop()
		for _, client := range clients {
			t.Run(client.name, func(t *testing.T) {
				// A well-behaved one goes on all the time.
				var over atomic.Bool
				var good sync.WaitGroup
				c := dialNet(t, address)
				defer c.Close()
				good.Go(func() {
					for i := uint64(0); ; i++ {
						if err := echoes(c, i, 2000); err != nil {
							t.Errorf("the well-behaved client: %v", err)
							return
						}
						if over.Load() {
							return
						}
					}
				})
				var bad sync.WaitGroup
				for range 8 {
					bad.Go(func() {
						c, err := net.Dial("tcp", address)
						if err != nil {
							t.Error(err)
							return
						}
						defer c.Close()
						client.play(t, c.(*net.TCPConn))
					})
				}
				bad.Wait()
				over.Store(true)
				good.Wait()
			})
		}
	})
}

// A reader that does not read holds up only the task that writes to it.
func TestSlowReaderSuspendsItsWriter(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startEcho(t, r)
		defer stop()
		for range 8 {
			c := dialNet(t, address)
			defer c.Close()
			c.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
			c.Write(make([]byte, 16<<20))
		}
		c := dialNet(t, address)
		defer c.Close()
		if err := echoes(c, 7, 1<<20); err != nil {
			t.Error(err)
		}
	})
}
