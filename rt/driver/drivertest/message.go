//go:build linux

package drivertest

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// udp returns a UDP socket on the loopback interface and its raw address.
func (r *rig) udp() (driver.FD, []byte) {
	r.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.check("socket", err)
	r.check("bind", unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	sa, err := unix.Getsockname(fd)
	r.check("getsockname", err)
	return r.adopt(fd), raw(sa.(*unix.SockaddrInet4))
}

func testMessages(r *rig) {
	a, nameA := r.udp()
	b, nameB := r.udp()
	in := r.op(driver.RecvMsg, a, make([]byte, 10))
	out := r.op(driver.SendMsg, b, nil)
	in.Msg, out.Msg = &driver.Msg{Name: make([]byte, 28)}, &driver.Msg{Name: nameA}
	for i := range 20 {
		if i%2 == 0 {
			r.pending(in)
		}
		out.Buf = fmt.Appendf(nil, "message %d", i)
		r.submit(out)
		r.want(out, int32(len(out.Buf)))
		if i%2 > 0 {
			r.submit(in)
		}
		// One of 10 bytes fits, what is longer is cut.
		want := out.Buf[:min(10, len(out.Buf))]
		r.wantBytes(in, string(want))
		if name := in.Msg.Name[:in.Msg.NameLen]; !bytes.Equal(name, nameB) {
			r.Fatalf("the message is from %x, want %x", name, nameB)
		}
		if cut := in.Msg.Flags&unix.MSG_TRUNC != 0; cut != (len(out.Buf) > 10) {
			r.Fatalf("cut: %t, for %d bytes", cut, len(out.Buf))
		}
	}
	// An empty message is one, too.
	out.Buf = []byte{}
	r.pending(in)
	r.submit(out)
	r.want(out, 0)
	r.want(in, 0)

	in.Res = 0
	r.pending(in)
	r.cancel(in)
	r.want(in, errno(unix.ECANCELED))

	// Nobody there.
	c, nameC := r.udp()
	r.shut(c)
	out.Buf, out.Msg.Name = []byte("x"), nameC
	r.submit(out)
	r.want(out, 1)
}

// testVectors sends several buffers with one operation, more than the socket takes.
func testVectors(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		var bufs [][]byte
		total := 0
		for i := range 700 {
			bufs = append(bufs, newPattern(i*5, total))
			total += i * 5
		}
		got := 0
		drain := func() { got = r.wantPattern(r.readAvailable(b), got) }
		for sent := 0; sent < total; {
			o := r.op(driver.SendMsg, a, nil)
			o.Msg = &driver.Msg{Bufs: bufs}
			r.submit(o)
			r.drive("the end of a send", func() bool {
				drain()
				return !o.inFlight
			})
			if o.Res <= 0 {
				r.Fatalf("%s", o)
			}
			sent += int(o.Res)
			for n := int(o.Res); n > 0 || len(bufs) > 0 && len(bufs[0]) == 0; {
				k := min(n, len(bufs[0]))
				n -= k
				if bufs[0] = bufs[0][k:]; len(bufs[0]) == 0 {
					bufs = bufs[1:]
				}
			}
		}
		r.drive("arrival", func() bool {
			drain()
			return got == total
		})
	})
}

func testReadiness(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 3 {
			o := r.pending(r.op(driver.Readable, a, nil))
			r.write(b, []byte("bytes"))
			r.want(o, 0)
			r.submit(o) // they are still there
			r.want(o, 0)
			r.wantBytes(r.received(a, 2), "by")
			r.submit(o)
			r.want(o, 0)
			r.wantBytes(r.received(a, 16), "tes")
			r.pending(o)
			r.cancel(o)
			r.want(o, errno(unix.ECANCELED))
		}
		w := r.op(driver.Writable, a, nil)
		r.submit(w)
		r.want(w, 0)
		r.fill(a)
		r.pending(w)
		r.drive("room", func() bool {
			r.readAvailable(b)
			return !w.inFlight
		})
		r.want(w, 0)
		// The end of the stream is something to read.
		o := r.pending(r.op(driver.Readable, a, nil))
		r.shut(b)
		r.want(o, 0)
		r.want(r.closing(a), 0)
		r.submit(o)
		r.want(o, errno(unix.EBADF))
	})
}
