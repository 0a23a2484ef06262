package rt

import (
	"errors"
	"net"
	"sync"
	"testing"
)

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
