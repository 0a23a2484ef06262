//go:build linux && !cogen_portable

package rt

import (
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// sending is the future under all forms of writing a datagram.
type sending struct {
	io  operation
	op  driver.Op
	msg driver.Msg
	to  rawAddr
	// addr is where to, for errors: a net.Addr, or ap.
	addr net.Addr
	ap   netip.AddrPort
	err  error
}

// prepare is to be followed by setting to, or err.
func (f *sending) prepare(c *PacketConn, b []byte) {
	f.err = nil
	f.addr, f.ap = nil, netip.AddrPort{}
	if b == nil {
		b = []byte{} // nil would mean several
	}
	f.io.prepare(c.netFD(), driver.SendMsg, transfer(b))
	f.op.Msg = &f.msg
	f.io.op = &f.op
	if f.io.fd == nil {
		f.err = syscall.EINVAL
	}
}

// Poll carries the write on.
func (f *sending) Poll(cx *Context) bool {
	if f.err != nil {
		return true
	}
	d := f.io.fd
	f.msg.Name = f.to.b[:f.to.n]
	ended, err := f.io.poll(cx, &d.wr)
	if !ended {
		return false
	}
	if err == nil {
		f.io.finish(&d.wr)
		f.msg.Release()
		if f.io.res < 0 {
			err = resultError("sendto", f.io.res)
		}
	}
	if err != nil {
		f.io.res = 0
		f.fail(err)
	}
	return true
}

func (f *sending) fail(err error) {
	if f.addr == nil && f.ap.IsValid() {
		f.addr = net.UDPAddrFromAddrPort(f.ap)
	}
	d := f.io.fd
	f.err = &net.OpError{Op: "write", Net: d.net.String(), Source: d.local.netAddr(d.net), Addr: f.addr, Err: err}
}

// Cancel implements [Canceler]. A write that was given up has sent nothing, and its
// error is [context.Canceled].
func (f *sending) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *sending) Canceled() bool { return f.io.gaveUp }

// Result returns what the plain form returns.
func (f *sending) Result() (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	return int(f.io.res), nil
}

// WriteTo sends b as one datagram to addr, a [*net.UDPAddr] or a [*net.UnixAddr].
func (c *PacketConn) WriteTo(b []byte, addr net.Addr) (n int, err error) {
	f := writeToFutures.Get().(*WriteToFuture)
	f.Init(c, b, addr)
	block(f)
	n, err = f.Result()
	f.addr = nil
	writeToFutures.Put(f)
	return n, err
}

var writeToFutures = sync.Pool{New: func() any { return new(WriteToFuture) }}

// WriteToAsync is the async form of WriteTo. The future owns b until it has finished.
func (c *PacketConn) WriteToAsync(b []byte, addr net.Addr) *WriteToFuture {
	f := new(WriteToFuture)
	f.Init(c, b, addr)
	return f
}

// WriteToFuture is a [PacketConn.WriteTo] in progress.
type WriteToFuture struct{ sending }

// Init makes f a write of b to addr. It may be used again after it has finished.
func (f *WriteToFuture) Init(c *PacketConn, b []byte, addr net.Addr) {
	f.prepare(c, b)
	if f.err != nil {
		return
	}
	f.addr = addr
	err := error(syscall.EINVAL)
	switch a := addr.(type) {
	case *net.UDPAddr:
		switch {
		case c.fd.net.local():
		case a == nil:
			f.addr, err = nil, errMissingAddress
		default:
			f.to, err = c.rawName(a.AddrPort())
		}
	case *net.UnixAddr:
		switch {
		case !c.fd.net.local():
		case a == nil:
			f.addr, err = nil, errMissingAddress
		case a.Net != c.fd.net.String():
			err = syscall.EAFNOSUPPORT
		default:
			f.to, err = rawUnixAddr(a.Name)
		}
	}
	if err != nil {
		f.fail(err)
	}
}

// WriteToUDPAddrPort is WriteTo for UDP with an address that takes no allocation.
func (c *PacketConn) WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (n int, err error) {
	f := writeToUDPFutures.Get().(*WriteToUDPFuture)
	f.Init(c, b, addr)
	block(f)
	n, err = f.Result()
	writeToUDPFutures.Put(f)
	return n, err
}

var writeToUDPFutures = sync.Pool{New: func() any { return new(WriteToUDPFuture) }}

// WriteToUDPAddrPortAsync is the async form of WriteToUDPAddrPort. The future owns b
// until it has finished.
func (c *PacketConn) WriteToUDPAddrPortAsync(b []byte, addr netip.AddrPort) *WriteToUDPFuture {
	f := new(WriteToUDPFuture)
	f.Init(c, b, addr)
	return f
}

// WriteToUDPFuture is a [PacketConn.WriteToUDPAddrPort] in progress.
type WriteToUDPFuture struct{ sending }

// Init makes f a write of b to addr. It may be used again after it has finished.
func (f *WriteToUDPFuture) Init(c *PacketConn, b []byte, addr netip.AddrPort) {
	f.prepare(c, b)
	if f.err != nil {
		return
	}
	f.ap = addr
	err := error(syscall.EINVAL)
	if !c.fd.net.local() {
		f.to, err = c.rawName(addr)
	}
	if err != nil {
		f.fail(err)
	}
}
