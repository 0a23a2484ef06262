//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// The clients. Each plays scenes, one after the other, that it draws by lot.

// patience is how long anything may take that is not meant to wait. It is far more than a
// busy machine needs: who runs into it hangs.
const patience = 60 * time.Second

// client plays scenes until the round is over.
//
//cogen:async
func (r *round) client(x *rand.Rand) {
	defer r.clients.Done()
	for !r.over.Load() {
		switch x.IntN(10) {
		case 0, 1:
			r.exchange(x)
		case 2, 3:
			r.pull(x)
		case 4, 5:
			r.push(x)
		case 6:
			r.nobody(x)
		case 7:
			r.datagrams(x)
		case 8:
			r.closed(x)
		case 9:
			r.files(x)
		}
	}
}

// dial connects to one of the servers, and asks for what m says. It returns nil if
// there is no port or descriptor to be had.
//
//cogen:async
func (r *round) dial(x *rand.Rand, m mode, key byte) *rt.Conn {
	at := r.addresses[x.IntN(len(r.addresses))]
	c, err := rt.Dial(at.Network(), at.String())
	if err != nil {
		r.tolerate("dial", err)
		rt.Sleep(time.Millisecond)
		return nil
	}
	r.keep(c)
	c.SetDeadline(time.Now().Add(patience))
	head := header(m, byte(x.IntN(int(ways))), key)
	if !r.scarce && x.IntN(4) == 0 { // each relay needs two descriptors more
		head = append(header(modeRelay, byte(x.IntN(100)), 0), head...)
	}
	if _, err := c.Write(head); err != nil {
		r.failf("write of a header: %v", err)
	}
	return c
}

// leave closes c, in one of the ways that there are.
//
//cogen:async
func (r *round) leave(x *rand.Rand, c *rt.Conn) {
	switch x.IntN(3) {
	case 0:
		c.SetLinger(0) // what has not been sent is dropped, and the other side hears of a reset
	case 1:
		rt.Sleep(time.Duration(x.IntN(20)) * time.Millisecond)
	}
	r.close(c)
}

// exchange has messages echoed.
//
//cogen:async
func (r *round) exchange(x *rand.Rand) {
	key := byte(x.IntN(16))
	c := r.dial(x, modeEcho, key)
	if c == nil {
		return
	}
	defer r.leave(x, c)
	buf := make([]byte, 32<<10)
	offset := int64(0)
	for range 1 + x.IntN(20) {
		n := 1 + x.IntN(1<<x.IntN(15))
		if _, err := c.Write(piece(key, offset, n)); err != nil {
			r.failf("write of a message of %d bytes: %v", n, err)
		}
		if got, err := c.ReadFull(buf[:n]); err != nil {
			r.failf("echo of a message of %d bytes: %d, %v", n, got, err)
		}
		r.mustFollow("answer", key, offset, buf[:n])
		offset += int64(n)
		r.did("echo")
	}
	if x.IntN(3) == 0 {
		c.CloseWrite()
		if n, err := c.Read(buf); n != 0 || err != io.EOF {
			r.failf("the end of a stream: %d, %v", n, err)
		}
	}
}

// pull reads a stream with limits of time that pass amidst it. No byte may be lost by that.
//
//cogen:async
func (r *round) pull(x *rand.Rand) {
	key := byte(x.IntN(16))
	c := r.dial(x, modeSource, key)
	if c == nil {
		return
	}
	defer r.leave(x, c)
	buf := make([]byte, 1+x.IntN(64<<10))
	offset := int64(0)
	for range 20 + x.IntN(50) {
		limit := time.Duration(x.IntN(200)) * time.Microsecond
		var n int
		var err error
		way := x.IntN(5)
		switch way {
		case 0:
			n, err = c.Read(buf)
		case 1:
			n, err = rt.WithTimeout(limit, c.ReadAsync(buf)).Result()
		case 2:
			c.SetReadDeadline(time.Now().Add(limit))
			n, err = c.Read(buf)
			c.SetReadDeadline(time.Now().Add(patience))
		case 3:
			n, err = rt.WithTimeout(limit, c.ReadFullAsync(buf[:1+len(buf)/3])).Result()
		case 4:
			var got rt.Loan
			if got, err = rt.WithTimeout(limit, c.BorrowAsync()).Result(); err == nil {
				n = len(got.Bytes())
				r.mustFollow("lent", key, offset, got.Bytes())
				offset += int64(n)
				if x.IntN(4) == 0 {
					rt.Sleep(limit) // it has to stay what it is
					r.mustFollow("lent for long", key, offset-int64(n), got.Bytes())
				}
				got.Return()
				n = 0
			}
		}
		r.mustFollow("pulled", key, offset, buf[:n])
		offset += int64(n)
		switch {
		case err == nil:
			r.did("pull")
		case way != 0 && timedOut(err):
			r.did("pull cut short")
		default:
			r.failf("pull at %d: %d, %v", offset, n, err)
		}
	}
}

// push writes a stream with limits of time. The other side must get what was written,
// neither more nor less.
//
//cogen:async
func (r *round) push(x *rand.Rand) {
	key := byte(x.IntN(16))
	c := r.dial(x, modeSink, key)
	if c == nil {
		return
	}
	defer r.leave(x, c)
	offset := int64(0)
	for range 10 + x.IntN(30) {
		limit := time.Duration(x.IntN(300)) * time.Microsecond
		b := piece(key, offset, 1+x.IntN(1<<x.IntN(17)))
		var n int
		var err error
		way := x.IntN(4)
		switch way {
		case 0:
			n, err = c.Write(b)
		case 1:
			n, err = rt.WithTimeout(limit, c.WriteAsync(b)).Result()
		case 2:
			c.SetWriteDeadline(time.Now().Add(limit))
			n, err = c.Write(b)
			c.SetWriteDeadline(time.Now().Add(patience))
		case 3:
			half := len(b) / 2
			v := net.Buffers{b[:half], b[half:]}
			var n64 int64
			n64, err = rt.WithTimeout(limit, c.WriteBuffersAsync(&v)).Result()
			n = int(n64)
		}
		offset += int64(n)
		switch {
		case err == nil:
			r.did("push")
		case way != 0 && timedOut(err):
			r.did("push cut short")
		default:
			r.failf("push at %d: %d, %v", offset, n, err)
		}
	}
	if x.IntN(3) == 0 {
		return // with everything on its way
	}
	if err := c.CloseWrite(); err != nil {
		r.failf("close of the sending side: %v", err)
	}
	var answer [8]byte
	if _, err := c.ReadFull(answer[:]); err != nil {
		r.failf("answer of a sink: %v", err)
	}
	if n := int64(binary.BigEndian.Uint64(answer[:])); n != offset {
		r.failf("%d bytes were written, the other side has read %d", offset, n)
	}
	r.did("push to the end")
}

// nobody dials where nobody listens, or has no time to.
//
//cogen:async
func (r *round) nobody(x *rand.Rand) {
	if x.IntN(2) == 0 {
		c, err := rt.Dial("tcp", r.deaf)
		if err == nil {
			// Two sockets that dial each other connect, if chance gives one the port.
			r.close(c)
			return
		}
		r.did("dial refused")
		return
	}
	at := r.addresses[x.IntN(len(r.addresses))]
	c, err := rt.WithTimeout(time.Duration(x.IntN(50))*time.Microsecond, rt.DialAsync(at.Network(), at.String())).Result()
	if err != nil {
		r.did("dial given up")
		return
	}
	r.keep(c)
	r.leave(x, c)
}

// datagrams has datagrams echoed, which may be lost.
//
//cogen:async
func (r *round) datagrams(x *rand.Rand) {
	p, err := rt.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		r.tolerate("listen for packets", err)
		return
	}
	r.keep(p)
	defer r.forget(p)
	defer p.Close()
	key := byte(x.IntN(16))
	buf := make([]byte, 2048)
	for i := range 5 {
		offset := int64(x.IntN(period))
		b := append([]byte{key, 0, 0, 0}, binary.BigEndian.AppendUint32(nil, uint32(offset))...)
		b = append(b, piece(key, offset, x.IntN(1200))...)
		if _, err := p.WriteToUDPAddrPort(b, r.packetAddress); err != nil {
			r.failf("write of a datagram: %v", err)
		}
		p.SetReadDeadline(time.Now().Add(time.Duration(i) * 10 * time.Millisecond))
		n, _, err := p.ReadFromUDPAddrPort(buf)
		switch {
		case timedOut(err):
			r.did("datagram late")
		case err != nil:
			r.failf("read of a datagram: %v", err)
		default:
			// One that was late may come instead, even one of whoever had the port before.
			r.mustFollow("datagram back", buf[0], int64(binary.BigEndian.Uint32(buf[4:])), buf[8:n])
			r.did("datagram")
		}
	}
}

// closed closes a connection that tasks are reading from and writing to.
//
//cogen:async
func (r *round) closed(x *rand.Rand) {
	key := byte(x.IntN(16))
	c := r.dial(x, modeSource, key)
	if c == nil {
		return
	}
	done := rt.NewChan[error](3)
	go r.readUntilClosed(c, key, done)
	go r.writeUntilClosed(c, done)
	go r.writeUntilClosed(c, done)
	rt.Sleep(time.Duration(x.IntN(3000)) * time.Microsecond)
	r.close(c)
	for range 3 {
		if err, _ := done.Recv(); !errors.Is(err, net.ErrClosed) && !r.reset(err) {
			r.failf("the error of what was closed is %v", err)
		}
	}
	r.did("closed in use")
}

//cogen:async
func (r *round) readUntilClosed(c *rt.Conn, key byte, done *rt.Chan[error]) {
	buf := make([]byte, 10_000)
	for offset := int64(0); ; {
		n, err := c.Read(buf)
		r.mustFollow("read until closed", key, offset, buf[:n])
		offset += int64(n)
		if err != nil {
			done.Send(err)
			return
		}
	}
}

// writeUntilClosed writes what nobody reads.
//
//cogen:async
func (r *round) writeUntilClosed(c *rt.Conn, done *rt.Chan[error]) {
	buf := make([]byte, 100_000)
	for {
		if _, err := c.Write(buf); err != nil {
			done.Send(err)
			return
		}
	}
}

// timedOut reports whether an operation has ended because its time was up.
func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}
