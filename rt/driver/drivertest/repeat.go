//go:build linux

package drivertest

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// The tests of rule 6: operations that bring results before they end.

// repeating submits an operation that repeats, and skips the test if the driver has
// none of its kind.
func (r *rig) repeating(o *op) *op {
	r.Helper()
	if r.submit(o) {
		if o.Res == errno(unix.EOPNOTSUPP) {
			r.Skipf("the driver has no %s", o)
		}
		r.Fatalf("rule 6: ended by Submit, %s", o)
	}
	return o
}

// goOn submits a repeating operation again if the driver has ended it, as it may.
func (r *rig) goOn(o *op) {
	r.Helper()
	if o.inFlight {
		return
	}
	if o.Res < 0 {
		r.want(o, errno(unix.ECANCELED))
	}
	r.repeating(o)
}

// stream is a RecvMany and what it has brought.
type stream struct {
	*op
	data []byte
}

func (r *rig) stream(fd driver.FD) *stream {
	r.Helper()
	s := &stream{op: r.op(driver.RecvMany, fd, nil)}
	take := func(o *op) {
		if o.Res > 0 {
			s.data = append(s.data, o.takeLent()...)
		}
	}
	s.brought, s.then = take, take
	r.repeating(s.op)
	return s
}

func testRecvMany(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		// A driver that has no such operations says so at once, also when it knows
		// that the socket has nothing to give.
		first := r.pending(r.recv(a, 1))
		r.write(b, []byte("x"))
		r.want(first, 1)
		r.pending(first)
		r.cancel(first)
		r.want(first, errno(unix.ECANCELED))

		s := r.stream(a)
		r.settle()
		for i := range 300 {
			was := len(s.data)
			r.write(b, newPattern(1+i*3, was))
			r.until("bytes", func() bool {
				r.goOn(s.op)
				return len(s.data) == was+1+i*3
			})
		}
		const bulk = 3 << 20
		was := len(s.data)
		for sent := was; sent < was+bulk; sent += 16 << 10 {
			r.write(b, newPattern(16<<10, sent))
			r.until("bytes", func() bool {
				r.goOn(s.op)
				return len(s.data) == sent+16<<10
			})
		}
		r.shut(b)
		r.until("the end", func() bool {
			if !s.inFlight && s.Res != 0 {
				r.goOn(s.op)
			}
			return !s.inFlight && s.Res == 0
		})
		r.wantPattern(s.data, 0)
	})
}

// testRecvManyCancel cancels as bytes come. Those that were taken are brought, the
// others found by the next receive.
func testRecvManyCancel(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		pos := 0
		for i := range 500 {
			s := r.stream(a)
			if i%3 > 0 {
				r.settle()
			}
			r.write(b, newPattern(50, pos))
			if i%2 > 0 {
				r.poll()
			}
			r.cancel(s.op)
			if res := r.end(s.op); res < 0 && res != errno(unix.ECANCELED) {
				r.Fatalf("%s", s)
			}
			end := pos + 50
			pos = r.wantPattern(s.data, pos)
			pos = r.wantPattern(r.readAvailable(a), pos)
			if pos != end {
				r.Fatalf("%d bytes of %d have arrived", pos, end)
			}
		}
	})
}

// testRecvManyKept keeps all buffers. The driver may end the operation, but loses
// nothing, and other receives go on.
func testRecvManyKept(r *rig) {
	a, b := r.tcpPair()
	var kept []*driver.Buffer
	got := 0
	o := r.op(driver.RecvMany, a, nil)
	take := func(o *op) {
		if o.Res > 0 {
			got = r.wantPattern(o.Lent.Data, got)
			kept = append(kept, o.Lent)
			o.Lent = nil
		}
	}
	o.brought, o.then = take, take
	r.repeating(o)
	const pieces, size = 3_000, 3_000
	for i := range pieces {
		r.write(b, newPattern(size, i*size))
		r.poll()
		if !o.inFlight {
			break
		}
	}
	r.settle()
	if o.inFlight {
		r.cancel(o)
		r.end(o)
	}
	if o.Res < 0 && o.Res != errno(unix.ENOBUFS) {
		r.want(o, errno(unix.ECANCELED))
	}
	c, d := r.pair()
	r.write(d, []byte("others"))
	r.wantLent(r.lent(c), "others")
	got = r.wantPattern(r.readAvailable(a), got)
	if got%size != 0 || got == 0 {
		r.Errorf("%d bytes have arrived", got)
	}
	for _, b := range kept {
		b.Return(b.Turn())
	}
}

// testRecvManyStorm has many sockets receive at once, again and again, more than the
// driver has buffers for at first. Each buffer is kept for a while.
func testRecvManyStorm(r *rig) {
	// All are looked at after each poll, which on a tiny ring delivers only a few.
	n := min(r.many(), 500)
	streams := make([]*op, n)
	peers := make([]driver.FD, n)
	got := make([]int, n)
	var kept []*driver.Buffer
	giveBack := func() {
		for _, b := range kept {
			b.Return(b.Turn())
		}
		kept = kept[:0]
	}
	for i := range streams {
		var a driver.FD
		a, peers[i] = r.pair()
		o := r.op(driver.RecvMany, a, nil)
		o.brought = func(o *op) {
			if o.Res > 0 {
				got[i] = r.wantPattern(o.Lent.Data, got[i])
				kept = append(kept, o.Lent)
				o.Lent = nil
			}
		}
		o.then = o.brought
		streams[i] = r.repeating(o)
	}
	const size = 700
	for round := range 4 {
		r.settle()
		for i, p := range peers {
			r.write(p, newPattern(size, round*size))
			if i%100 == 0 {
				r.poll()
			}
		}
		r.drive("all bytes", func() bool {
			giveBack()
			all := true
			for i, o := range streams {
				if !o.inFlight && o.Res == errno(unix.ENOBUFS) {
					o.Res = errno(unix.ECANCELED)
				}
				r.goOn(o)
				all = all && got[i] == (round+1)*size
			}
			return all
		})
	}
	for _, o := range streams {
		r.cancel(o)
	}
	r.until("the end of all operations", func() bool { return r.flight == 0 })
}

func testRecvManyAllocations(r *rig) {
	a, b := r.tcpPair()
	owner := new(recvTally)
	in := &driver.Op{Code: driver.RecvMany, FD: a, Owner: owner}
	if r.d.Submit(in) {
		r.Skip("the driver has no such operation")
	}
	r.flight++
	data := make([]byte, 64)
	want := 0
	if n := testing.AllocsPerRun(2_000, func() {
		want += len(data)
		unix.Write(int(b.Sysfd), data)
		for owner.bytes < want {
			r.d.Wait(time.Second)
		}
	}); n != 0 {
		r.Errorf("%v allocations for each receive", n)
	}
	r.d.Cancel(in)
	for !owner.over {
		r.d.Wait(time.Second)
	}
	r.flight--
}

// recvTally counts bytes and gives the buffers back.
type recvTally struct {
	bytes int
	over  bool
}

func (c *recvTally) Complete(op *driver.Op) {
	if b := op.Lent; b != nil {
		op.Lent = nil
		c.bytes += len(b.Data)
		b.Return(b.Turn())
	}
	c.over = !op.More
}

// testAcceptMany takes connections, and cancels as some come: each is brought or
// left for the next accept.
func testAcceptMany(r *rig) {
	l, addr := r.listener(128)
	var servers []driver.FD
	o := r.op(driver.AcceptMany, l, nil)
	take := func(o *op) {
		if o.Res >= 0 {
			servers = append(servers, r.adopt(int(o.Res)))
		}
	}
	o.brought, o.then = take, take
	r.repeating(o)
	count := 0
	for range 50 {
		r.dial(addr)
		count++
	}
	r.until("all connections", func() bool {
		r.goOn(o)
		return len(servers) == count
	})
	for i := range 30 {
		r.goOn(o)
		if i%2 == 0 {
			r.settle()
		}
		r.dial(addr)
		count++
		r.cancel(o)
		if res := r.end(o); res < 0 && res != errno(unix.ECANCELED) {
			r.Fatalf("%s", o)
		}
	}
	for len(servers) < count {
		servers = append(servers, r.accepted(r.accepting(l)))
	}
	r.pending(r.op(driver.Accept, l, nil))
}

// testRepeatDriverClose closes the driver with operations that repeat.
func testRepeatDriverClose(r *rig) {
	a, _ := r.pair()
	l, _ := r.listener(1)
	s := r.stream(a)
	accept := r.repeating(r.op(driver.AcceptMany, l, nil))
	r.settle()
	r.closeDriver()
	for _, o := range []*op{s.op, accept} {
		if o.Res != errno(unix.ECANCELED) {
			r.Errorf("%s, want ECANCELED", o)
		}
	}
}

// testRecvManyEnd has bytes and the end of the stream come from another thread, so fast one
// after the other that a driver may hear of both at once. An end that is missed is missed for
// good, as nothing comes after it.
func testRecvManyEnd(r *rig) {
	shutdown := func(fd int) error { return unix.Shutdown(fd, unix.SHUT_WR) }
	for _, c := range []struct {
		name string
		pair func() (a, b driver.FD)
		end  func(fd int) error
		open bool // the descriptor, after end
	}{
		{"shutdown", r.pair, shutdown, true},
		{"close", r.pair, unix.Close, false},
		{"shutdown of TCP", r.tcpPair, shutdown, true},
		{"reset of TCP", r.tcpPair, func(fd int) error {
			unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
			return unix.Close(fd)
		}, false},
	} {
		for range 300 {
			a, b := c.pair()
			s := r.stream(a)
			far, err := unix.Dup(int(b.Sysfd))
			r.check("dup", err)
			r.shut(b)
			ended := make(chan error, 1)
			go func() {
				unix.Write(far, []byte("bytes"))
				ended <- c.end(far)
			}()
			r.until(c.name, func() bool {
				if !s.inFlight && s.Res == errno(unix.ECANCELED) {
					r.repeating(s.op)
				}
				return !s.inFlight
			})
			if s.Res != 0 && s.Res != errno(unix.ECONNRESET) {
				r.Errorf("%s: %s", c.name, s)
			}
			r.check(c.name, <-ended)
			if c.open {
				unix.Close(far)
			}
			r.shut(a)
		}
	}
}
