//go:build linux

package drivertest

import (
	"bytes"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// closing submits a Close.
func (r *rig) closing(fd driver.FD) *op {
	r.Helper()
	o := r.op(driver.Close, fd, nil)
	r.submit(o)
	return o
}

func testClose(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		o := r.pending(r.recv(b, 16))
		r.want(r.closing(a), 0)
		r.want(o, 0) // the peer sees the end of the stream
		if _, err := unix.FcntlInt(uintptr(a.Sysfd), unix.F_GETFD, 0); err != unix.EBADF {
			r.Errorf("after Close the descriptor still exists: %v", err)
		}
	})
}

// testCloseInFlight closes a descriptor right after cancelling what waits on it,
// and cancels only after closing it. The operations end once either way.
func testCloseInFlight(r *rig) {
	for _, polite := range []bool{true, false} {
		r.eachStream(func(a, b driver.FD) {
			r.fill(a)
			ops := []*op{
				r.pending(r.recv(a, 16)), r.pending(r.recv(a, 16)), r.pending(r.recv(a, 16)),
				r.pending(r.send(a, "more")), r.pending(r.send(a, "more")),
			}
			if polite {
				for _, o := range ops {
					r.cancel(o)
				}
			}
			r.want(r.closing(a), 0)
			if !polite {
				r.settle()
				for _, o := range ops {
					r.cancel(o)
				}
			}
			for _, o := range ops {
				r.want(o, errno(unix.ECANCELED))
			}
			r.wantEnd(b)
		})
	}
	l, _ := r.listener(16)
	o := r.pending(r.op(driver.Accept, l, nil))
	r.cancel(o)
	r.want(r.closing(l), 0)
	r.want(o, errno(unix.ECANCELED))
}

// testNumberReused opens descriptors under a number that has meant others, with
// everything a driver may remember of those: edges, registrations, operations
// that were cancelled.
func testNumberReused(r *rig) {
	for i := range 40 {
		k := streams[i%len(streams)]
		a, b := k.make(r)
		old, peer := r.adopt(a), r.adopt(b)
		if i%3 > 0 {
			o := r.pending(r.recv(old, 4))
			if i%3 == 1 {
				r.write(peer, []byte("old bytes"))
				r.wantBytes(o, "old ")
			} else {
				r.cancel(o)
				r.want(o, errno(unix.ECANCELED))
				r.write(peer, []byte("old bytes")) // an edge that nobody collects
			}
		}
		if i%5 < 2 {
			r.shut(old) // closed by somebody else
		} else {
			r.want(r.closing(old), 0)
		}

		c, d := k.make(r)
		if d == a {
			c, d = d, c
		}
		if c != a {
			r.check("dup3", unix.Dup3(c, a, unix.O_CLOEXEC))
			r.check("close", unix.Close(c))
		}
		fresh, other := r.adopt(a), r.adopt(d)
		o := r.pending(r.recv(fresh, 16))
		r.write(other, []byte("new bytes"))
		r.wantBytes(o, "new bytes")
		o = r.pending(r.recv(fresh, 16))
		r.shut(peer) // news of the old opening, none of the new one's
		r.settle()
		if !o.inFlight {
			r.Fatalf("an event of another opening has ended an operation, %s", o)
		}
		r.write(other, []byte("more"))
		r.wantBytes(o, "more")
	}
}

// testSameFileAgain gives an open file the same number a second time, while
// another descriptor has kept it open: an epoll set still has it.
func testSameFileAgain(r *rig) {
	a, b := r.pair()
	for i := range 5 {
		n, err := unix.FcntlInt(uintptr(a.Sysfd), unix.F_DUPFD_CLOEXEC, 0)
		r.check("dup", err)
		again := r.adopt(n)
		o := r.pending(r.recv(again, 16))
		if i%2 == 0 {
			r.write(b, []byte("bytes"))
			r.wantBytes(o, "bytes")
		} else {
			r.cancel(o)
			r.want(o, errno(unix.ECANCELED))
			r.write(b, []byte("kept"))
		}
		r.want(r.closing(again), 0)
		if i%2 == 1 {
			r.wantBytes(r.received(a, 16), "kept")
		}
	}
}

// testShared reads a descriptor on one driver and writes it on another.
func testShared(r *rig, open Open) {
	w := r.sibling(open)
	defer w.closeDriver()
	r.eachStream(func(a, b driver.FD) {
		for range 3 {
			o := r.pending(r.recv(a, 16))
			filled := w.fill(a)
			s := w.pending(w.send(a, "tail"))
			got := 0
			w.drive("the end of a send", func() bool {
				got += len(r.readAvailable(b))
				return !s.inFlight
			})
			for ; got < filled+4; got += len(r.readAvailable(b)) {
				r.ready(int(b.Sysfd), unix.POLLIN)
			}
			r.write(b, []byte("head"))
			r.wantBytes(o, "head")

			// Now both read. One of them gets the bytes, the other waits on.
			x, y := r.pending(r.recv(a, 16)), w.pending(w.recv(a, 16))
			r.write(b, []byte("1"))
			r.drive("a read on either driver", func() bool {
				w.poll()
				return !x.inFlight || !y.inFlight
			})
			r.write(b, []byte("2"))
			r.drive("the other read", func() bool {
				w.poll()
				return !x.inFlight && !y.inFlight
			})
			if got := string(slices.Sorted(slices.Values(append(x.Buf[:x.Res], y.Buf[:y.Res]...)))); got != "12" {
				r.Fatalf("the two drivers received %q", got)
			}
		}
	})
}

// testDriverClose closes the driver with all kinds of operations in flight, and
// gives the kernel every reason to write to their buffers afterwards (rule 5).
func testDriverClose(r *rig) {
	_, addr := r.listener(1)
	full := r.unanswered(addr)
	var ops []*op
	var peers []driver.FD
	r.eachStream(func(a, b driver.FD) {
		r.fill(a)
		ops = append(ops, r.pending(r.recv(a, 16)), r.pending(r.recv(a, 16)), r.pending(r.send(a, "x")))
		peers = append(peers, b)
	})
	ops = append(ops, full)
	idle, _ := r.listener(1)
	ops = append(ops, r.pending(r.op(driver.Accept, idle, nil)))
	// These are not even started.
	a, b := r.pair()
	for range 3 {
		ops = append(ops, r.received(a, 16))
	}
	peers = append(peers, b)
	late := r.op(driver.Nop, driver.FD{}, nil)
	r.submit(late)

	r.closeDriver()
	for _, o := range ops {
		if o.ends != 1 {
			r.Errorf("ended %d times, %s", o.ends, o)
		}
		if o.Res != errno(unix.ECANCELED) {
			r.Errorf("result is %d, want it cancelled; %s", o.Res, o)
		}
	}
	if late.ends != 1 || late.Res != 0 {
		r.Errorf("ended %d times with %d, %s", late.ends, late.Res, late)
	}
	for _, p := range peers {
		r.write(p, []byte("written after the end"))
	}
	for _, o := range ops {
		if o.Code == driver.Recv && !bytes.Equal(o.Buf, make([]byte, len(o.Buf))) {
			r.Errorf("rule 5: a buffer was written to after the end")
		}
	}
}
