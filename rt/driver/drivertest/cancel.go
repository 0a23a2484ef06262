//go:build linux

package drivertest

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

func testCancelBeforeStart(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 10 {
			o := r.received(a, 16)
			r.cancel(o)
			r.want(o, errno(unix.ECANCELED))
		}
		r.talk(b, a)
	})
}

func testCancelWaiting(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 10 {
			o := r.pending(r.recv(a, 16))
			r.cancel(o)
			r.cancel(o) // asking twice changes nothing
			r.want(o, errno(unix.ECANCELED))
			r.write(b, []byte("kept"))
			r.wantBytes(r.received(a, 16), "kept")
		}
	})
}

// testCancelAfterBytes cancels a read for which there are bytes. It reports them,
// or leaves them where they are (rule 4).
func testCancelAfterBytes(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for i := range 30 {
			o := r.recv(a, 16)
			if i%2 == 0 {
				r.pending(o)
			} else {
				r.submit(o)
			}
			r.write(b, []byte("precious"))
			r.cancel(o)
			if r.end(o) == errno(unix.ECANCELED) {
				r.submit(o)
			}
			r.wantBytes(o, "precious")
		}
	})
}

// testCancelRace cancels reads while another thread sends, and checks that the
// stream arrives whole.
func testCancelRace(r *rig) {
	const total = 20_000
	r.eachStream(func(a, b driver.FD) {
		sent := make(chan error, 1)
		var got atomic.Int64
		go func() {
			rnd := rand.New(rand.NewPCG(1, 2))
			for pos := 0; pos < total; {
				n, err := unix.Write(int(b.Sysfd), newPattern(min(1+rnd.IntN(20), total-pos), pos))
				switch err {
				case nil:
					// Keep close to the reader: it has to find nothing as often as
					// something.
					for pos += n; int64(pos) > got.Load()+20; {
						runtime.Gosched()
					}
				case unix.EAGAIN:
					p := []unix.PollFd{{Fd: b.Sysfd, Events: unix.POLLOUT}}
					unix.Poll(p, 10)
				case unix.EINTR:
				default:
					sent <- err
					return
				}
			}
			sent <- nil
		}()
		rnd := rand.New(rand.NewPCG(3, 4))
		cancelled := 0
		for pos := 0; pos < total; {
			o := r.received(a, 1+rnd.IntN(40))
			for range rnd.IntN(3) {
				r.poll()
			}
			r.cancel(o)
			n := r.end(o)
			if n == errno(unix.ECANCELED) {
				cancelled++
				if cancelled%2 == 0 {
					// Let some bytes come.
					r.submit(o)
					n = r.end(o)
				} else {
					continue
				}
			}
			if n <= 0 {
				r.Fatalf("after %d bytes: result %d, %s", pos, n, o)
			}
			pos = r.wantPattern(o.Buf[:n], pos)
			got.Store(int64(pos))
		}
		r.check("the sender", <-sent)
		r.Logf("%d reads were cancelled", cancelled)
	})
}

// testCancelSend cancels sends while the other end reads, and checks that what
// they report is what arrives.
func testCancelSend(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		sent := r.fill(a)
		got := 0
		drain := func() { got = r.wantPattern(r.readAvailable(b), got) }
		for i := range 20 {
			o := r.op(driver.Send, a, newPattern(200_000, sent))
			r.submit(o)
			if i%4 > 0 {
				drain()
			}
			if i%2 == 0 {
				r.poll()
			}
			r.cancel(o)
			n := r.end(o)
			switch {
			case n > 0:
				sent += int(n)
			case n != errno(unix.ECANCELED):
				r.Fatalf("result is %d, %s", n, o)
			}
		}
		r.drive("the arrival of what was sent", func() bool {
			drain()
			return got >= sent
		})
		r.want(r.closing(a), 0)
		r.ready(int(b.Sysfd), unix.POLLIN)
		drain()
		if got != sent {
			r.Errorf("%d bytes sent, %d received", sent, got)
		}
	})
}

// testCancelAccept cancels accepts as connections come. Each is handed over, or
// is there for the next accept.
func testCancelAccept(r *rig) {
	l, addr := r.listener(16)
	for i := range 20 {
		o := r.op(driver.Accept, l, nil)
		if i%2 == 0 {
			r.pending(o)
		} else {
			r.submit(o)
		}
		client := r.dial(addr)
		if i%3 == 0 {
			r.settle()
		}
		r.cancel(o)
		if r.end(o) == errno(unix.ECANCELED) {
			r.submit(o)
		}
		server := r.accepted(o)
		r.talk(client, server)
		r.shut(client)
		r.want(r.closing(server), 0)
	}
}

func testCancelConnect(r *rig) {
	_, addr := r.listener(1)
	o := r.unanswered(addr)
	r.cancel(o)
	r.want(o, errno(unix.ECANCELED))
	r.want(r.closing(o.FD), 0)
}

func testCancelClose(r *rig) {
	a, b := r.pair()
	o := r.closing(a)
	r.cancel(o)
	r.want(o, 0)
	r.wantEnd(b)
}

// testCancelOneOfSeveral cancels operations from the middle, the end and the
// front of those that wait on one socket; the rest must go on.
func testCancelOneOfSeveral(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		var ops []*op
		for range 6 {
			ops = append(ops, r.pending(r.recv(a, 1)))
		}
		for _, i := range []int{2, 5, 0} {
			r.cancel(ops[i])
			r.want(ops[i], errno(unix.ECANCELED))
		}
		ops = append(ops, r.pending(r.recv(a, 1)))
		r.write(b, []byte("wxyz"))
		for _, i := range []int{1, 3, 4, 6} {
			r.want(ops[i], 1)
		}
	})
}

func testCancelEnded(r *rig) {
	a, b := r.pair()
	o := r.recv(a, 16)
	r.cancel(o) // never submitted
	for range 3 {
		r.write(b, []byte("bytes"))
		r.submit(o)
		r.wantBytes(o, "bytes")
		r.cancel(o)
		r.settle()
	}
	// The cancellation of what has ended must not reach what is submitted next, on
	// the same memory or elsewhere.
	r.cancel(o)
	next := r.received(a, 16)
	r.cancel(o)
	r.submit(o)
	r.settle()
	if !next.inFlight || !o.inFlight {
		r.Fatalf("a late cancellation has ended another operation")
	}
	r.cancel(next)
	r.want(next, errno(unix.ECANCELED))
	r.write(b, []byte("bytes"))
	r.wantBytes(o, "bytes")
}

// testCancelFromComplete has each of two operations cancel the other as it ends.
// The other may have ended too by then, and only be still to deliver.
func testCancelFromComplete(r *rig) {
	for range 10 {
		a, b := r.pair()
		c, d := r.pair()
		x, y := r.recv(a, 16), r.recv(c, 16)
		x.then = func(*op) { r.cancel(y) }
		y.then = func(*op) { r.cancel(x) }
		r.pending(x)
		r.pending(y)
		r.write(b, []byte("bytes"))
		r.write(d, []byte("bytes"))
		for _, o := range []*op{x, y} {
			if r.end(o) == errno(unix.ECANCELED) {
				o.then = nil
				r.submit(o)
			}
			r.wantBytes(o, "bytes")
		}
	}
}
