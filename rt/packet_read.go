//go:build linux && !cogen_portable

package rt

import (
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// receiving is the future under all forms of reading a datagram.
type receiving struct {
	io   operation
	op   driver.Op
	msg  driver.Msg
	from rawAddr
	err  error
}

func (f *receiving) prepare(c *PacketConn, b []byte) {
	f.err = nil
	f.from.n = 0
	f.io.prepare(c.netFD(), driver.RecvMsg, transfer(b))
	f.msg.Name = f.from.b[:]
	f.op.Msg = &f.msg
	f.io.op = &f.op
}

// Poll carries the read on.
func (f *receiving) Poll(cx *Context) bool {
	d := f.io.fd
	if d == nil {
		f.err = syscall.EINVAL
		return true
	}
	ended, err := f.io.poll(cx, &d.rd)
	if !ended {
		return false
	}
	if err != nil {
		f.io.res = 0
		f.err = d.opError("read", err)
		return true
	}
	f.io.finish(&d.rd)
	f.msg.Release()
	if res := f.io.res; res < 0 {
		f.io.res = 0
		f.err = d.opError("read", resultError("recvfrom", res))
		return true
	}
	f.from.n = uint8(f.msg.NameLen)
	return true
}

// Cancel implements [Canceler]. A read that was given up has read nothing, and its
// error is [context.Canceled].
func (f *receiving) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *receiving) Canceled() bool { return f.io.gaveUp }

// addr is the sender's address; nil if it has none.
func (f *receiving) addr() net.Addr {
	if f.err != nil || f.from.n == 0 {
		return nil
	}
	if d := f.io.fd; !d.net.local() {
		var e endpoint
		e.set(d.net, &f.from)
		return e.netAddr(d.net)
	}
	clear(f.from.b[f.from.n:])
	if a := f.from.unixAddr(f.io.fd.net); f.from.n > saPath {
		return a
	}
	return nil
}

// ReadFrom reads a datagram into b, waiting until there is one, and returns its length
// and who sent it. What does not fit into b is lost.
func (c *PacketConn) ReadFrom(b []byte) (n int, addr net.Addr, err error) {
	f := readFromFutures.Get().(*ReadFromFuture)
	f.Init(c, b)
	block(f)
	n, addr, err = f.Result()
	readFromFutures.Put(f)
	return n, addr, err
}

var readFromFutures = sync.Pool{New: func() any { return new(ReadFromFuture) }}

// ReadFromAsync is the async form of ReadFrom. The future owns b until it has
// finished.
func (c *PacketConn) ReadFromAsync(b []byte) *ReadFromFuture {
	f := new(ReadFromFuture)
	f.Init(c, b)
	return f
}

// ReadFromFuture is a [PacketConn.ReadFrom] in progress.
type ReadFromFuture struct{ receiving }

// Init makes f a read from c into b. It may be used again after it has finished.
func (f *ReadFromFuture) Init(c *PacketConn, b []byte) { f.prepare(c, b) }

// Result returns what [PacketConn.ReadFrom] returns.
func (f *ReadFromFuture) Result() (n int, addr net.Addr, err error) {
	return int(f.io.res), f.addr(), f.err
}

// ReadFromUDPAddrPort is ReadFrom with an address that takes no allocation. It is for
// UDP. As with package net, a socket for both versions of IP has IPv4 addresses in
// their IPv6 form.
func (c *PacketConn) ReadFromUDPAddrPort(b []byte) (n int, addr netip.AddrPort, err error) {
	f := readFromUDPFutures.Get().(*ReadFromUDPFuture)
	f.Init(c, b)
	block(f)
	n, addr, err = f.Result()
	readFromUDPFutures.Put(f)
	return n, addr, err
}

var readFromUDPFutures = sync.Pool{New: func() any { return new(ReadFromUDPFuture) }}

// ReadFromUDPAddrPortAsync is the async form of ReadFromUDPAddrPort. The future owns b
// until it has finished.
func (c *PacketConn) ReadFromUDPAddrPortAsync(b []byte) *ReadFromUDPFuture {
	f := new(ReadFromUDPFuture)
	f.Init(c, b)
	return f
}

// ReadFromUDPFuture is a [PacketConn.ReadFromUDPAddrPort] in progress.
type ReadFromUDPFuture struct{ receiving }

// Init makes f a read from c into b. It may be used again after it has finished.
func (f *ReadFromUDPFuture) Init(c *PacketConn, b []byte) { f.prepare(c, b) }

// Result returns what [PacketConn.ReadFromUDPAddrPort] returns.
func (f *ReadFromUDPFuture) Result() (n int, addr netip.AddrPort, err error) {
	if f.err != nil {
		return 0, addr, f.err
	}
	return int(f.io.res), f.from.addrPort(), nil
}
