package rt

import (
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

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
					r.Go(read)
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
