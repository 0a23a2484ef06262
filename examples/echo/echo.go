package main

import (
	"errors"
	"net"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

// bufferSize is what a connection reads at most at a time. It is most of what an
// idle connection costs.
const bufferSize = 1024

// acceptAll starts a task for each connection, until l is closed.
//
//cogen:async
func acceptAll(l *rt.Listener, conns *service.Conns) error {
	for {
		c, err := l.AcceptConn()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			pause, again := service.AcceptPause(err)
			if !again {
				return err
			}
			rt.Sleep(pause)
			continue
		}
		conns.Add(c)
		go serve(c, conns)
	}
}

// serve echoes until the other side has sent everything, or either side is gone.
//
//cogen:async
func serve(c *rt.Conn, conns *service.Conns) {
	defer conns.Close(c)
	buf := make([]byte, bufferSize)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}
