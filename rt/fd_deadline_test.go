package rt

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"
)

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
