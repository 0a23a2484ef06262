//go:build linux

package main

import (
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

// The server. Clients reset connections and leave amidst everything, so errors only end
// a connection; wrong bytes end the program.

// accept serves each connection in a task of its own.
//
//cogen:async
func (r *round) accept(l *rt.Listener) {
	defer r.servers.Done()
	for {
		c, err := l.AcceptConn()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			pause, again := service.AcceptPause(err)
			if !again {
				r.failf("accept on %v: %v", l.Addr(), err)
			}
			r.did("accept refused")
			rt.Sleep(pause)
			continue
		}
		r.servers.Add(1)
		r.keep(c)
		go r.serve(c)
	}
}

// serve does what the client asks for.
//
//cogen:async
func (r *round) serve(c *rt.Conn) {
	defer r.servers.Done()
	defer r.close(c)
	// A client whose connection is lost in a way that nobody hears of must not stay.
	c.SetDeadline(time.Now().Add(patience))
	var head [headerSize]byte
	if _, err := c.ReadFull(head[:]); err != nil {
		return
	}
	way, key := head[1], head[2]
	switch mode(head[0]) {
	case modeEcho:
		r.echo(c, way, key)
	case modeSource:
		r.source(c, key)
	case modeSink:
		r.sink(c, way, key)
	case modeRelay:
		r.relay(c, way)
	}
}

// relay passes everything on to another server, and back. What ends on one side ends
// on the other.
//
//cogen:async
func (r *round) relay(c *rt.Conn, way byte) {
	at := r.addresses[int(way)%len(r.addresses)]
	out, err := rt.Dial(at.Network(), at.String())
	if err != nil {
		if r.over.Load() {
			return // the listeners may be closed
		}
		r.tolerate("dial of a relay", err)
		return
	}
	r.keep(out)
	defer r.close(out)
	out.SetDeadline(time.Now().Add(patience))
	r.servers.Add(1)
	go r.pass(out, c)
	c.ReadFrom(out)
	c.CloseWrite()
	r.did("relay")
}

// pass is one direction of a relay.
//
//cogen:async
func (r *round) pass(out, c *rt.Conn) {
	defer r.servers.Done()
	out.ReadFrom(c)
	out.CloseWrite()
}

// The ways in which the server echoes and reads.
const (
	wayBorrow byte = iota
	wayRead
	wayVectors // several buffers at once
	wayMove    // on by a task of another worker after some messages
	ways
)

// echo sends back what comes.
//
//cogen:async
func (r *round) echo(c *rt.Conn, way, key byte) {
	if way == wayBorrow {
		r.echoLent(c, key)
		return
	}
	buf := make([]byte, 8<<10)
	offset := int64(0)
	for n := 0; ; n++ {
		if way == wayMove && n == 4 && !r.abrupt {
			// From here a task elsewhere goes on. Its end is that of this one; so it must
			// have one.
			next := rt.NewChan[struct{}](0)
			rt.Blocking(func() { r.move(r.echoThenAsync(c, key, offset, next)) })
			next.Recv()
			return
		}
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		r.mustFollow("echo", key, offset, buf[:n])
		offset += int64(n)
		if way == wayVectors {
			half := n / 2
			v := net.Buffers{buf[:half], nil, buf[half:n]}
			_, err = c.WriteBuffers(&v)
		} else {
			_, err = c.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// echoLent is echo with lent buffers.
//
//cogen:async
func (r *round) echoLent(c *rt.Conn, key byte) {
	for offset := int64(0); ; {
		got, err := c.Borrow()
		if err != nil {
			return
		}
		r.mustFollow("echo", key, offset, got.Bytes())
		offset += int64(len(got.Bytes()))
		_, err = c.Write(got.Bytes())
		got.Return()
		if err != nil {
			return
		}
	}
}

// echoThen goes on with an echo, and says when it has ended.
//
//cogen:async
func (r *round) echoThen(c *rt.Conn, key byte, offset int64, ended *rt.Chan[struct{}]) {
	defer ended.Close()
	buf := make([]byte, 2<<10)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		r.mustFollow("echo moved", key, offset, buf[:n])
		offset += int64(n)
		if _, err = c.Write(buf[:n]); err != nil {
			return
		}
	}
}

// source sends the stream.
//
//cogen:async
func (r *round) source(c *rt.Conn, key byte) {
	for offset := int64(0); ; {
		n, err := c.Write(piece(key, offset, 1<<(offset%17)))
		offset += int64(n)
		if err != nil {
			return
		}
	}
}

// sink reads the stream to its end and tells how much it was.
//
//cogen:async
func (r *round) sink(c *rt.Conn, way, key byte) {
	offset := int64(0)
	buf := make([]byte, 100+int(key)*997)
	for {
		var n int
		var err error
		if way == wayBorrow {
			var got rt.Loan
			if got, err = c.Borrow(); err == nil {
				n = len(got.Bytes())
				r.mustFollow("sink", key, offset, got.Bytes())
				got.Return()
			}
		} else {
			n, err = c.Read(buf)
			r.mustFollow("sink", key, offset, buf[:n])
		}
		offset += int64(n)
		if err != nil {
			break
		}
	}
	c.Write(total(offset))
}

// packets echoes datagrams until its socket is closed.
//
//cogen:async
func (r *round) packets(p *rt.PacketConn) {
	defer r.servers.Done()
	buf := make([]byte, 2048)
	for {
		n, from, err := p.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // of a datagram that met nobody
		}
		if n >= 8 {
			r.mustFollow("datagram", buf[0], int64(binary.BigEndian.Uint32(buf[4:])), buf[8:n])
		}
		p.WriteToUDPAddrPort(buf[:n], from)
	}
}
