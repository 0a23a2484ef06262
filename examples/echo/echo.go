package main

import (
	"errors"
	"net"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

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

// serve echoes until the other side has sent everything, or either side is gone. It
// borrows what it receives, so that a connection has no buffer while it is idle.
//
//cogen:async
func serve(c *rt.Conn, conns *service.Conns) {
	defer conns.Close(c)
	for {
		got, err := c.Borrow()
		if err != nil {
			return
		}
		_, err = c.Write(got.Bytes())
		got.Return()
		if err != nil {
			return
		}
	}
}
