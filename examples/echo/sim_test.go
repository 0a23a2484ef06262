//go:build linux && !cogen_portable

package main

import (
	"bytes"
	"errors"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/rt/rttest"
)

// The server in simulated worlds: clients come and go, some are cut off or reset, and
// time passes at once. Every world is another order of events.
func TestSimulated(t *testing.T) {
	rttest.Seeds(t, 200, func(s *rttest.Sim) {
		l, err := rt.Listen("tcp", "10.0.0.1:7")
		if err != nil {
			s.Fatal(err)
		}
		conns := service.NewConns()
		server := acceptAllAsync(l, conns)
		served := rt.Go(server)

		var clients rt.Group
		for range 1 + s.Rand().IntN(8) {
			clients.GoFunc(func() error {
				rt.Sleep(time.Duration(s.Rand().IntN(20)) * time.Millisecond)
				c, err := rt.Dial("tcp", "10.0.0.1:7")
				if err != nil {
					return err
				}
				defer c.Close()
				for range s.Rand().IntN(4) {
					rt.Sleep(time.Duration(s.Rand().IntN(3600)) * time.Second)
					out := bytes.Repeat([]byte("echo"), 1+s.Rand().IntN(500))
					in := make([]byte, len(out))
					var all rt.Group
					all.GoFunc(func() error { _, err := c.Write(out); return err })
					all.GoFunc(func() error { _, err := io.ReadFull(c, in); return err })
					if s.Rand().IntN(8) == 0 {
						s.Reset(c)
						err := all.Wait()
						for _, is := range []error{syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF} {
							if errors.Is(err, is) {
								return nil
							}
						}
						return err
					}
					if err := all.Wait(); err != nil {
						return err
					}
					if !bytes.Equal(in, out) {
						s.Error("the echo is not what was sent")
					}
				}
				return nil
			})
		}
		if err := clients.Wait(); err != nil {
			s.Error(err)
		}
		l.Close()
		served.Wait()
		if err := server.Result(); err != nil {
			s.Error(err)
		}
	})
}
