package main

import (
	"errors"
	"net"
	"time"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

const (
	// idleTimeout is how long a connection may take to send its next request,
	// and each line of it.
	idleTimeout = 60 * time.Second
	// lingerTimeout and lingerBytes bound what is read after a connection was
	// given up with an answer; see linger.
	lingerTimeout = time.Second
	lingerBytes   = 256 << 10
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

// serve answers the requests of a connection, one after the other. Answers to
// pipelined requests are collected and written together.
//
//cogen:async
func serve(c *rt.Conn, conns *service.Conns) {
	defer conns.Close(c)
	in := newReader(c, conns)
	var req request
	var out []byte
	for {
		req = request{}
		if err := readRequest(in, &req); err != nil {
			if bad, ok := errors.AsType[*statusError](err); ok {
				refuse(c, appendError(out, &req, bad.status))
			}
			// Otherwise the client has gone, or said nothing for too long.
			return
		}

		page, status := lookup(&req)
		bodyUnread := req.expectContinue && status != statusOK
		if req.hasBody() && !bodyUnread {
			if req.expectContinue {
				out = append(out, "HTTP/1.1 100 Continue\r\n\r\n"...)
				if _, err := c.Write(out); err != nil {
					return
				}
				out = out[:0]
			}
			if err := discardBody(in, &req); err != nil {
				if bad, ok := errors.AsType[*statusError](err); ok {
					req.close = true
					refuse(c, appendError(out, &req, bad.status))
				}
				return
			}
		}
		if bodyUnread || conns.Stopping() {
			req.close = true
		}
		if status == statusOK {
			out = appendPage(out, &req, page)
		} else {
			out = appendError(out, &req, status)
		}

		if in.holdsRequest() && !req.close && len(out) < maxPending {
			continue
		}
		if _, err := c.Write(out); err != nil {
			return
		}
		out = out[:0]
		if cap(out) > keepPending {
			out = nil
		}
		if req.close {
			linger(c)
			return
		}
	}
}

// refuse writes out, the last of it an answer to a bad request, and ends the
// connection.
//
//cogen:async
func refuse(c *rt.Conn, out []byte) {
	if _, err := c.Write(out); err == nil {
		linger(c)
	}
}

// linger ends a connection whose client may still be sending. Closing it while
// there is something unread would reset it, and the client could lose the answer
// that is on its way (RFC 9112, section 9.6).
//
//cogen:async
func linger(c *rt.Conn) {
	if c.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(lingerTimeout)) != nil {
		return
	}
	buf := make([]byte, 2048)
	for left := lingerBytes; left > 0; {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		left -= n
	}
}
