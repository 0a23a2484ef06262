//go:build linux

package drivertest

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

func testName(r *rig) {
	if n := r.d.Name(); n != "uring" && n != "epoll" && n != "portable" {
		r.Errorf("Name is %q", n)
	}
}

func testNop(r *rig) {
	ops := make([]*op, 100)
	for i := range ops {
		ops[i] = r.op(driver.Nop, driver.FD{}, nil)
		ops[i].Res = 7
		r.submit(ops[i])
	}
	for _, o := range ops {
		r.want(o, 0)
	}
}

func testRecvWaits(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for i := range 10 {
			o := r.pending(r.recv(a, 64))
			data := fmt.Sprintf("message %d", i)
			r.want(r.sent(b, data), int32(len(data)))
			r.wantBytes(o, data)
		}
	})
}

// sent submits a Send.
func (r *rig) sent(fd driver.FD, data string) *op {
	r.Helper()
	o := r.send(fd, data)
	r.submit(o)
	return o
}

// received submits a Recv.
func (r *rig) received(fd driver.FD, size int) *op {
	r.Helper()
	o := r.recv(fd, size)
	r.submit(o)
	return o
}

func testRecvFindsBytes(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for i := range 10 {
			data := fmt.Sprintf("message %d", i)
			r.write(b, []byte(data))
			r.wantBytes(r.received(a, 64), data)
		}
	})
}

// testRecvInPieces reads with buffers smaller, equal to and larger than what is
// there. A driver that takes a full buffer for the end of the bytes stops here.
func testRecvInPieces(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 5 {
			o := r.pending(r.recv(a, 3))
			r.write(b, []byte("abcdefghij"))
			r.wantBytes(o, "abc")
			r.wantBytes(r.received(a, 4), "defg")
			r.wantBytes(r.received(a, 3), "hij")
			r.write(b, []byte("xyz"))
			r.wantBytes(r.received(a, 100), "xyz")
		}
	})
}

// testEndOfStream closes the other end in every order with the last bytes and the
// reads that find them.
func testEndOfStream(r *rig) {
	half := func(b driver.FD) { r.check("shutdown", unix.Shutdown(int(b.Sysfd), unix.SHUT_WR)) }
	for _, end := range []struct {
		name string
		do   func(b driver.FD)
	}{{"closed", r.shut}, {"half closed", half}} {
		r.eachStream(func(a, b driver.FD) {
			r.Log(end.name, "while waiting")
			o := r.pending(r.recv(a, 16))
			end.do(b)
			r.want(o, 0)
			r.want(r.received(a, 16), 0)
		})
		r.eachStream(func(a, b driver.FD) {
			r.Log(end.name, "with bytes, while waiting")
			o := r.pending(r.recv(a, 16))
			r.write(b, []byte("last"))
			end.do(b)
			r.wantBytes(o, "last")
			r.want(r.received(a, 16), 0)
			r.want(r.received(a, 16), 0)
		})
		r.eachStream(func(a, b driver.FD) {
			r.Log(end.name, "after bytes, while waiting again")
			o := r.pending(r.recv(a, 16))
			r.write(b, []byte("last"))
			r.wantBytes(o, "last")
			o = r.pending(r.recv(a, 16))
			end.do(b)
			r.want(o, 0)
		})
		r.eachStream(func(a, b driver.FD) {
			r.Log(end.name, "between bytes and the next read")
			o := r.pending(r.recv(a, 16))
			r.write(b, []byte("last"))
			r.wantBytes(o, "last")
			end.do(b)
			r.settle()
			r.want(r.received(a, 16), 0)
		})
		r.eachStream(func(a, b driver.FD) {
			r.Log(end.name, "before anything is read")
			r.write(b, []byte("last"))
			end.do(b)
			r.wantBytes(r.received(a, 2), "la")
			r.wantBytes(r.received(a, 16), "st")
			r.want(r.received(a, 16), 0)
		})
	}
	r.eachStream(func(a, b driver.FD) {
		// The other direction of a half-closed stream goes on.
		half(b)
		r.want(r.received(a, 16), 0)
		o := r.pending(r.recv(b, 16))
		r.want(r.sent(a, "still here"), 10)
		r.wantBytes(o, "still here")
	})
}

// testDatagrams receives messages that leave most of the buffer empty while
// more of them wait: there, a buffer that is not full says nothing.
func testDatagrams(r *rig) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.check("socketpair", err)
	a, b := r.adopt(p[0]), r.adopt(p[1])
	for range 5 {
		o := r.pending(r.recv(a, 64))
		for _, m := range []string{"one", "two", "three"} {
			r.write(b, []byte(m))
		}
		r.wantBytes(o, "one")
		r.wantBytes(r.received(a, 64), "two")
		r.wantBytes(r.received(a, 64), "three")
	}
}

// testUrgentData has reads stop at the mark of urgent data with bytes behind it.
func testUrgentData(r *rig) {
	for _, waiting := range []bool{true, false} {
		a, b := r.tcpPair()
		var o *op
		if waiting {
			o = r.pending(r.recv(a, 64))
		}
		r.write(b, []byte("before"))
		r.check("send", unix.Sendto(int(b.Sysfd), []byte("!"), unix.MSG_OOB, nil))
		r.write(b, []byte("after"))
		if !waiting {
			o = r.received(a, 64)
		}
		var got []byte
		for {
			n := r.end(o)
			if n <= 0 {
				r.Fatalf("received %q, then %s", got, o)
			}
			got = append(got, o.Buf[:n]...)
			if len(got) >= len("beforeafter") {
				break
			}
			o = r.received(a, 64)
		}
		if string(got) != "beforeafter" {
			r.Errorf("received %q, want %q", got, "beforeafter")
		}
	}
}

// testSeveralRecvs lets several operations wait on one socket. Which of them
// gets which bytes is not promised.
func testSeveralRecvs(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		var ops []*op
		for range 40 {
			ops = append(ops, r.pending(r.recv(a, 1)))
		}
		seen := map[byte]bool{}
		for i := range ops {
			r.write(b, []byte{byte(i)})
		}
		for _, o := range ops {
			r.want(o, 1)
			seen[o.Buf[0]] = true
		}
		if len(seen) != len(ops) {
			r.Errorf("%d operations received %d different bytes", len(ops), len(seen))
		}
	})
}

func testReset(r *rig) {
	a, b := r.tcpPair()
	o := r.pending(r.recv(a, 16))
	r.reset(b)
	r.want(o, errno(unix.ECONNRESET))
	r.want(r.received(a, 16), 0) // the error is reported once

	a, b = r.tcpPair()
	r.reset(b)
	r.want(r.received(a, 16), errno(unix.ECONNRESET))

	// Both directions at once: one is told of the reset, the other finds the
	// stream ended. Neither waits on.
	a, b = r.tcpPair()
	r.fill(a)
	in, out := r.pending(r.recv(a, 16)), r.pending(r.send(a, "more"))
	r.reset(b)
	resIn, resOut := r.end(in), r.end(out)
	if resIn != 0 && resIn != errno(unix.ECONNRESET) || resOut != errno(unix.EPIPE) && resOut != errno(unix.ECONNRESET) {
		r.Errorf("after a reset recv returned %d and send %d", resIn, resOut)
	}
}

func testSendNothing(r *rig) {
	a, _ := r.pair()
	r.want(r.sent(a, ""), 0)
}

// testFullSocket sends into a socket that takes no more until its peer reads.
func testFullSocket(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 3 {
			sent := r.fill(a)
			o := r.op(driver.Send, a, newPattern(1<<20, sent))
			for r.submit(o); ; r.submit(o) {
				if r.settle(); o.inFlight {
					break
				}
				// There was room after all.
				sent += int(r.end(o))
				putPattern(o.Buf, sent)
			}
			got := 0
			drain := func() { got = r.wantPattern(r.readAvailable(b), got) }
			r.drive("the end of a send", func() bool {
				drain()
				return !o.inFlight
			})
			if o.Res <= 0 || int(o.Res) > len(o.Buf) {
				r.Fatalf("%d of %d bytes sent", o.Res, len(o.Buf))
			}
			for sent += int(o.Res); got < sent; drain() {
				r.ready(int(b.Sysfd), unix.POLLIN)
			}
			if got != sent {
				r.Fatalf("%d bytes sent, %d received", sent, got)
			}
		}
	})
}

// testSeveralSends lets several sends wait on one socket. Each is whole, for a
// byte cannot be split; their order is not promised.
func testSeveralSends(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		before := r.fill(a)
		var ops []*op
		for i := range 40 {
			ops = append(ops, r.pending(r.send(a, string([]byte{byte(i)}))))
		}
		var got []byte
		r.drive("the end of all sends", func() bool {
			got = append(got, r.readAvailable(b)...)
			for _, o := range ops {
				if o.inFlight {
					return false
				}
			}
			return true
		})
		for len(got) < before+len(ops) {
			r.ready(int(b.Sysfd), unix.POLLIN)
			got = append(got, r.readAvailable(b)...)
		}
		seen := map[byte]bool{}
		for _, c := range got[before:] {
			seen[c] = true
		}
		if len(got) != before+len(ops) || len(seen) != len(ops) {
			r.Errorf("%d sends: %d bytes received, %d different ones", len(ops), len(got)-before, len(seen))
		}
	})
}

func testSendPeerGone(r *rig) {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, unix.SIGPIPE)
	defer signal.Stop(pipe)

	a, b := r.pair()
	r.shut(b)
	r.want(r.sent(a, "x"), errno(unix.EPIPE))

	a, b = r.pair()
	r.fill(a)
	o := r.pending(r.send(a, "x"))
	r.shut(b)
	if res := r.end(o); res != errno(unix.EPIPE) && res != errno(unix.ECONNRESET) {
		r.Errorf("send returned %d (%s) when the peer closed", res, result(res))
	}

	a, _ = r.pair()
	r.check("shutdown", unix.Shutdown(int(a.Sysfd), unix.SHUT_WR))
	r.want(r.sent(a, "x"), errno(unix.EPIPE))

	select {
	case <-pipe:
		r.Errorf("a send raised SIGPIPE")
	default:
	}
}

// testBulk moves megabytes both ways through one pair at once, in pieces of
// sizes that do not fit each other.
func testBulk(r *rig) {
	const total = 4 << 20
	r.eachStream(func(a, b driver.FD) {
		left := 0
		source := func(fd driver.FD, size int) {
			left++
			buf, pos := make([]byte, size), 0
			o := r.op(driver.Send, fd, nil)
			next := func() {
				o.Buf = buf[:min(size, total-pos)]
				putPattern(o.Buf, pos)
			}
			r.repeat(o, func() bool {
				if o.Res < 0 {
					r.Fatalf("after %d bytes: %s", pos, o)
				}
				pos += int(o.Res)
				if pos < total {
					next()
					return true
				}
				left--
				return false
			}, next)
		}
		sink := func(fd driver.FD, size int) {
			left++
			pos := 0
			o := r.recv(fd, size)
			r.repeat(o, func() bool {
				if o.Res <= 0 {
					r.Fatalf("after %d bytes: result %d, %s", pos, o.Res, o)
				}
				if pos = r.wantPattern(o.Buf[:o.Res], pos); pos < total {
					return true
				}
				left--
				return false
			}, func() {})
		}
		sink(a, 5000)
		sink(b, 100_000)
		source(a, 300_001)
		source(b, 40_000)
		r.until("the end of a bulk transfer", func() bool { return left == 0 })
	})
}

// repeat prepares o and submits it, and submits it again each time that it has
// ended, as long as more returns true.
func (r *rig) repeat(o *op, more func() bool, prepare func()) {
	prepare()
	o.then = func(*op) {
		for more() {
			if !r.submit(o) {
				return
			}
		}
	}
	if r.submit(o) {
		o.then(o)
	}
}
