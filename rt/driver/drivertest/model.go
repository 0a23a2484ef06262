//go:build linux

package drivertest

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// testModel does everything at random, over a few pairs of sockets, beside a
// model of the streams between them that knows every byte. A failure names its
// seed, which makes the same choices again.
func testModel(r *rig) {
	seeds := 12
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		func() {
			defer func() {
				if r.Failed() {
					r.Logf("the seed is %d", seed)
				}
			}()
			m := &model{rig: r, rnd: rand.New(rand.NewPCG(uint64(seed), 0))}
			m.run(4_000)
		}()
		if r.Failed() {
			return
		}
	}
}

type model struct {
	*rig
	rnd   *rand.Rand
	links []*link
	made  int // links so far; each has its own bytes
}

// link is a pair of connected sockets.
type link struct {
	ends [2]end
	// closing: the descriptors are closed, or are about to be. What is in flight
	// may end with any error, but the bytes that it reports are still the right ones.
	closing bool
}

// end is one of the two sockets. It has at most one operation in flight in each
// direction, so that the order of bytes is known.
type end struct {
	l       *link
	peer    *end
	fd      driver.FD
	first   int     // where in the pattern the stream begins that this end sends
	in, out *op     // in flight, or ended and to be used again, or nil
	asked   [2]bool // whether the cancellation of in or out has been asked for
	sent    int     // bytes that sends have reported
	got     int     // bytes that receives have reported
	shut    bool    // no more is sent
	over    bool    // a receive has reported the end of the stream
}

func (m *model) run(steps int) {
	for range 4 {
		m.links = append(m.links, m.open())
	}
	for range steps {
		i := m.rnd.IntN(len(m.links))
		l := m.links[i]
		e := &l.ends[m.rnd.IntN(2)]
		switch k := m.rnd.IntN(100); {
		case k < 33:
			m.startRecv(e)
		case k < 58:
			m.startSend(e)
		case k < 66:
			m.stop(e, e.in, 0)
		case k < 70:
			m.stop(e, e.out, 1)
		case k < 88:
			m.poll()
		case k < 93:
			m.wait(time.Duration(m.rnd.IntN(300)) * time.Microsecond)
		case k < 95:
			m.d.Wake()
		case k < 96:
			m.submit(m.op(driver.Nop, driver.FD{}, nil))
		case k < 97:
			m.shutdown(e)
		case k < 98:
			if m.rnd.IntN(4) == 0 {
				runtime.GC()
			}
		case k < 99:
			m.close(l)
			m.links[i] = m.open()
		default:
			m.settle()
		}
	}
	m.drive("the end of all streams", func() bool {
		all := true
		for _, l := range m.links {
			for i := range l.ends {
				e := &l.ends[i]
				m.startRecv(e)
				m.shutdown(e)
				all = all && e.over && e.shut
			}
		}
		return all
	})
	for _, l := range m.links {
		for i := range l.ends {
			if e := &l.ends[i]; e.sent != e.peer.got {
				m.Fatalf("%d bytes were sent and %d received", e.sent, e.peer.got)
			}
		}
		m.close(l)
	}
	m.links = nil
	m.until("the end of all operations", func() bool { return m.flight == 0 })
}

func (m *model) open() *link {
	a, b := streams[m.rnd.IntN(len(streams))].make(m.rig)
	l := &link{}
	for i, sysfd := range []int{a, b} {
		m.made++
		l.ends[i] = end{l: l, peer: &l.ends[1-i], fd: m.adopt(sysfd), first: 37 * m.made}
	}
	return l
}

// again returns an operation that may be submitted: the last one, or a new one.
func (m *model) again(last *op, code driver.Code, e *end, buf []byte) *op {
	if last == nil || m.rnd.IntN(2) == 0 {
		return m.op(code, e.fd, buf)
	}
	last.Buf = buf
	return last
}

// size is a number from 1 to about limit, small ones more often.
func (m *model) size(limit int) int { return 1 + m.rnd.IntN(1+m.rnd.IntN(limit)) }

func (m *model) startRecv(e *end) {
	if e.over || e.in != nil && e.in.inFlight {
		return
	}
	o := m.again(e.in, driver.Recv, e, make([]byte, m.size(30_000)))
	o.Code = driver.Recv
	switch m.rnd.IntN(4) {
	case 0:
		o.Code = driver.RecvLent
	case 1:
		o.Code = driver.Readable
	}
	e.in, e.asked[0] = o, false
	o.then = func(o *op) { m.received(e, o) }
	if m.submit(o) {
		o.then(o)
	}
}

func (m *model) received(e *end, o *op) {
	switch n := int(o.Res); {
	case n > 0 && o.Code == driver.RecvLent:
		m.wantPattern(o.takeLent(), e.peer.first+e.got)
		e.got += n
	case n > 0:
		m.wantPattern(o.Buf[:n], e.peer.first+e.got)
		e.got += n
	case o.Code == driver.Readable && n == 0, o.Code == driver.RecvLent && o.Res == errno(unix.EAGAIN):
	case n == 0:
		e.over = true
		if !e.l.closing && (!e.peer.shut || e.got != e.peer.sent) {
			m.Fatalf("the stream has ended after %d bytes, %d were sent, shut down %t", e.got, e.peer.sent, e.peer.shut)
		}
	default:
		m.failed(e, o, 0)
	}
}

func (m *model) startSend(e *end) {
	if e.shut || e.out != nil && e.out.inFlight {
		return
	}
	limit := 20_000
	if m.rnd.IntN(20) == 0 {
		limit = 2_000_000
	}
	o := m.again(e.out, driver.Send, e, newPattern(m.size(limit), e.first+e.sent))
	e.out, e.asked[1] = o, false
	o.then = func(o *op) { m.sentBytes(e, o) }
	if m.submit(o) {
		o.then(o)
	}
}

func (m *model) sentBytes(e *end, o *op) {
	if o.Res < 0 {
		m.failed(e, o, 1)
		return
	}
	if o.Res == 0 || int(o.Res) > len(o.Buf) {
		m.Fatalf("%d of %d bytes were sent", o.Res, len(o.Buf))
	}
	e.sent += int(o.Res)
}

func (m *model) failed(e *end, o *op, dir int) {
	if e.l.closing || o.Res == errno(unix.ECANCELED) && e.asked[dir] {
		return
	}
	m.Fatalf("%s, cancellation asked for: %t", o, e.asked[dir])
}

func (m *model) stop(e *end, o *op, dir int) {
	if o == nil {
		return
	}
	e.asked[dir] = true
	m.cancel(o)
}

func (m *model) shutdown(e *end) {
	if e.shut || e.out != nil && e.out.inFlight {
		return
	}
	e.shut = true
	m.check("shutdown", unix.Shutdown(int(e.fd.Sysfd), unix.SHUT_WR))
}

// close cancels what is in flight on both ends and closes them right away.
func (m *model) close(l *link) {
	l.closing = true
	for i := range l.ends {
		e := &l.ends[i]
		m.stop(e, e.in, 0)
		m.stop(e, e.out, 1)
	}
	for i := range l.ends {
		m.submit(m.op(driver.Close, l.ends[i].fd, nil))
	}
}
