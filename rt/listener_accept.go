//go:build linux && !cogen_portable

package rt

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Accept waits for the next connection and returns it, a [*Conn].
//
// When the process or the system is out of descriptors it fails, as package
// net's does, with EMFILE or ENFILE in a [*net.OpError] whose Temporary
// method returns true; the listener stays up and the connection stays in its
// queue, so the caller may wait a little and try again, as net/http does.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.AcceptConn()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn is Accept with the connection's own type.
func (l *Listener) AcceptConn() (*Conn, error) {
	if l.ok() && currentContext() == nil {
		if c, err, done := l.acceptNow(); done {
			return c, err
		}
	}
	f := new(AcceptConnFuture)
	f.Init(l)
	block(f)
	return f.Result()
}

// acceptNow accepts without waiting. It returns done false if it would have to.
func (l *Listener) acceptNow() (c *Conn, err error, done bool) {
	d := &l.fd
	s := &d.rd
	if isSimulated(d.sys.Sysfd) || !s.take(offWorker) {
		return nil, nil, false
	}
	if err := d.usable(s); err != nil {
		d.release(s)
		return nil, d.opError("accept", err), true
	}
	for {
		fd, _, err := unix.Accept4(int(d.sys.Sysfd), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
			d.release(s)
			return l.accepted(int32(fd)), nil, true
		case unix.EINTR, unix.ECONNABORTED:
			continue
		}
		d.release(s)
		if err == unix.EAGAIN {
			return nil, nil, false
		}
		return nil, d.opError("accept", resultError("accept4", -int32(err.(syscall.Errno)))), true
	}
}

// accepted makes a connection of a descriptor that the kernel gave.
func (l *Listener) accepted(fd int32) *Conn {
	c := new(Conn)
	c.fd.opened(fd, l.fd.net)
	// The addresses are asked for now because they must be there for errors, and
	// after Close. Our own is the listener's unless that is a wildcard.
	c.fd.remote.set(c.fd.net, peerOf(c.fd.net, fd, l.nameSize))
	if l.wildcard {
		own := localName(fd)
		c.fd.local = newEndpoint(c.fd.net, &own)
	} else {
		c.fd.local = l.fd.local
	}
	return c
}

// AcceptConnAsync is the async form of AcceptConn.
func (l *Listener) AcceptConnAsync() *AcceptConnFuture {
	f := new(AcceptConnFuture)
	f.Init(l)
	return f
}

// AcceptConnFuture is a [Listener.AcceptConn] in progress.
type AcceptConnFuture struct {
	io   operation
	l    *Listener
	conn *Conn
	err  error
	held custody
}

// Init makes f an accept on l. It may be used again after it has finished.
func (f *AcceptConnFuture) Init(l *Listener) {
	f.l, f.conn, f.err = l, nil, nil
	f.io.prepare(l.netFD(), driver.Accept, nil)
}

// Poll carries the accept on.
func (f *AcceptConnFuture) Poll(cx *Context) bool {
	d := f.io.fd
	if d == nil {
		f.err = syscall.EINVAL
		return true
	}
	for {
		ended, err := f.io.poll(cx, &d.rd)
		if !ended {
			cx.keep(&f.held, f)
			return false
		}
		cx.release(&f.held)
		if err != nil {
			f.err = d.opError("accept", err)
			return true
		}
		res := f.io.res
		if res == -int32(unix.ECONNABORTED) {
			continue // it was closed before it was accepted; take the next
		}
		f.io.finish(&d.rd)
		switch {
		case res < 0:
			f.err = d.opError("accept", resultError("accept4", res))
		case d.closed.Load():
			// Close came first and wins, so that a server which has closed its
			// listener and then its connections does not find another one.
			closeSocket(res)
			f.err = d.opError("accept", net.ErrClosed)
		default:
			f.conn = f.l.accepted(res)
		}
		return true
	}
}

// abandon closes a connection that was accepted for a task that has gone.
func (f *AcceptConnFuture) abandon() {
	if op := f.io.op; op != nil && op.Res >= 0 {
		closeSocket(op.Res)
	}
}

// Result returns what [Listener.AcceptConn] returns.
func (f *AcceptConnFuture) Result() (*Conn, error) { return f.conn, f.err }
