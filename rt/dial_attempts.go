//go:build linux && !cogen_portable

package rt

import (
	"context"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// dialing is the future under all forms of Dial: it looks the address up, then
// tries to connect to what was found, one address after the other, and
// reports the first one's error if none answers.
type dialing struct {
	ctx      context.Context
	deadline time.Time // zero if there is none
	network  string
	address  string

	phase  dialPhase
	lookup *BlockingFuture  // only for names
	end    func()           // cancels the lookup
	addrs  []netip.AddrPort // those not yet tried, the current one first
	retry  uint8            // how often the current one has been tried again
	net    network

	// The attempt under way: a connect on the sending side of conn.
	io   operation
	raw  rawAddr
	conn *Conn
	held custody
	stop func() bool // ends ctx's watch over conn

	firstErr error
	err      error

	canceled bool  // it was asked to give up
	reason   error // why it must give up, seen by Poll
}

type dialPhase uint8

const (
	dialStart dialPhase = iota
	dialLookup
	dialNext // has a list of addresses, and no attempt under way
	dialConnect
)

func (f *dialing) prepare(ctx context.Context, network, address string, deadline time.Time) {
	f.ctx, f.network, f.address, f.deadline = ctx, network, address, deadline
	f.phase, f.addrs, f.retry = dialStart, nil, 0
	f.conn, f.firstErr, f.err = nil, nil, nil
	f.canceled, f.reason = false, nil
}

func (f *dialing) result() (*Conn, error) { return f.conn, f.err }

// Poll carries the dial on.
func (f *dialing) Poll(cx *Context) bool {
	f.look(cx)
	for {
		switch f.phase {
		case dialStart:
			if f.start() {
				return true
			}
		case dialLookup:
			if !f.lookup.Poll(cx) {
				return false
			}
			f.lookup = nil
			f.end()
			if f.err != nil {
				return f.fail(nil, f.err)
			}
			f.phase = dialNext
		case dialNext:
			if f.next() {
				return true
			}
		case dialConnect:
			ended, err := f.io.poll(cx, &f.conn.fd.wr)
			if !ended {
				cx.keep(&f.held, f)
				return false
			}
			cx.release(&f.held)
			if f.attempted(err) {
				return true
			}
		}
	}
}

// fail ends the dial.
func (f *dialing) fail(addr net.Addr, err error) (done bool) {
	f.conn = nil
	f.err = f.opError(addr, err)
	return true
}

func (f *dialing) opError(addr net.Addr, err error) error {
	return &net.OpError{Op: "dial", Net: f.network, Addr: addr, Err: err}
}

// start takes the address apart, and looks it up if that takes no waiting. It
// reports whether the dial has ended.
func (f *dialing) start() (done bool) {
	n, err := parseNetwork(f.network)
	if err != nil {
		return f.fail(nil, err)
	}
	f.net = n
	if f.address == "" {
		return f.fail(nil, errMissingAddress)
	}
	if n.local() {
		f.addrs = make([]netip.AddrPort, 1) // the one in address
		f.phase = dialNext
		return false
	}
	t, err := splitTarget(n, f.address)
	if err != nil {
		return f.fail(nil, err)
	}
	if !t.literal() {
		ctx, end := context.WithCancel(f.ctx)
		f.end = end
		f.lookup = new(BlockingFuture)
		f.lookup.Init(func() {
			if !f.deadline.IsZero() {
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, f.deadline)
				defer cancel()
			}
			f.addrs, f.err = t.lookup(ctx)
		})
		f.phase = dialLookup
		return false
	}
	if f.addrs, err = t.lookup(f.ctx); err != nil {
		return f.fail(nil, err)
	}
	f.phase = dialNext
	return false
}

// next starts an attempt at the first of the addresses that are left. It
// reports whether the dial has ended.
func (f *dialing) next() (done bool) {
	if len(f.addrs) == 0 {
		f.conn, f.err = nil, f.firstErr
		return true
	}
	at := f.addrs[0]
	if err := f.over(time.Now()); err != nil {
		if f.firstErr == nil {
			f.firstErr = f.opError(f.target(at), err)
		}
		f.addrs = nil
		return false
	}
	fd, err := f.socket(at)
	if err != nil {
		f.skip(err)
		return false
	}
	c := new(Conn)
	c.fd.opened(fd, f.net)
	c.fd.wr.deadline.Store(deadlineAt(f.partialDeadline(time.Now())))
	f.conn = c
	f.io.prepare(&c.fd, driver.Connect, f.raw.b[:f.raw.n])
	if f.ctx.Done() != nil {
		f.stop = context.AfterFunc(f.ctx, func() { c.fd.setDeadline(&c.fd.wr, past) })
	}
	f.phase = dialConnect
	return false
}

// socket makes the socket for an attempt at one address, and sets raw.
func (f *dialing) socket(at netip.AddrPort) (fd int32, err error) {
	if f.net.local() {
		if f.raw, err = rawUnixAddr(f.address); err != nil {
			return -1, os.NewSyscallError("connect", err)
		}
		return newSocket(f.net, unix.AF_UNIX, false)
	}
	ip := at.Addr()
	if !ip.IsValid() { // no host: the kernel takes the wildcard for this machine
		ip = netip.IPv4Unspecified()
		if f.net.version() == 6 {
			ip = netip.IPv6Unspecified()
		}
	}
	family, v6only := familyOf(f.net, ip, false)
	f.raw = rawAddrOf(family, netip.AddrPortFrom(ip, at.Port()))
	return newSocket(f.net, family, v6only)
}

// target is an address for errors.
func (f *dialing) target(at netip.AddrPort) net.Addr {
	if f.net.local() {
		return &net.UnixAddr{Name: f.address, Net: f.network}
	}
	return netAddrOf(f.net, at)
}

// attempted deals with the end of an attempt: err says why it could not go on,
// and otherwise the operation's result counts. It reports whether the dial has ended.
func (f *dialing) attempted(err error) (done bool) {
	c := f.conn
	s := &c.fd.wr
	if err == nil {
		f.io.finish(s)
		if res := f.io.res; res < 0 {
			err = resultError("connect", res)
		}
	} else if f.reason != nil {
		err = contextError(f.reason)
	} else { // the deadline: nobody can have closed it
		err = timeoutError{}
	}
	if f.stop != nil {
		// If the watch has begun to act, the connection is spoiled.
		if !f.stop() {
			err = contextError(f.ctx.Err())
		}
		f.stop = nil
	}
	if err == nil {
		s.deadline.Store(0)
		// The peer's may not be the one connected to: that can be a wildcard.
		own := localName(c.fd.sys.Sysfd)
		c.fd.local = newEndpoint(f.net, &own)
		c.fd.remote.set(f.net, peerOf(f.net, c.fd.sys.Sysfd, f.raw.n))
	}
	f.phase = dialNext
	if f.again(c, err) {
		closeSocket(c.fd.sys.Sysfd)
		f.retry++
		return false
	}
	if err != nil {
		closeSocket(c.fd.sys.Sysfd)
		f.skip(err)
		return false
	}
	f.addrs, f.firstErr, f.ctx = nil, nil, nil
	return true
}

// abandon closes the socket of an attempt whose task has gone.
func (f *dialing) abandon() {
	if f.stop != nil {
		f.stop()
	}
	closeSocket(f.conn.fd.sys.Sysfd)
}

// again reports whether the attempt is to be repeated because the kernel chose
// the local port badly: one that is in use, or the very port connected to,
// where nobody listens, which connects the socket with itself. As in package
// net, after two repetitions the result stands.
func (f *dialing) again(c *Conn, err error) bool {
	if f.retry >= 2 || f.net > tcp6 {
		return false
	}
	if err != nil {
		return f.io.res == -int32(unix.EADDRNOTAVAIL)
	}
	return c.fd.local.equals(&c.fd.remote)
}

// skip goes on to the next address.
func (f *dialing) skip(err error) {
	if f.firstErr == nil {
		f.firstErr = f.opError(f.target(f.addrs[0]), err)
	}
	f.addrs = f.addrs[1:]
	f.retry = 0
}

// over says why the dial must not go on, or nil.
func (f *dialing) over(now time.Time) error {
	if f.reason != nil {
		return contextError(f.reason)
	}
	if err := f.ctx.Err(); err != nil {
		return contextError(err)
	}
	if !f.deadline.IsZero() && !now.Before(f.deadline) {
		return timeoutError{}
	}
	return nil
}

// sharedMinimum is the least time that an address gets if there is so much.
const sharedMinimum = 2 * time.Second

// partialDeadline divides the time left equally among the addresses left.
func (f *dialing) partialDeadline(now time.Time) time.Time {
	if f.deadline.IsZero() {
		return f.deadline
	}
	left := f.deadline.Sub(now)
	share := left / time.Duration(len(f.addrs))
	return now.Add(max(share, min(left, sharedMinimum)))
}
