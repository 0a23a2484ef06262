//go:build linux

package uring

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openBufRing makes a buffer ring that is closed after the test, and skips the test
// where there are none.
func openBufRing(t testing.TB, r *Ring, cfg BufRingConfig) *BufRing {
	t.Helper()
	b, err := r.NewBufRing(cfg)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sound checks what must hold when no completion is outstanding and every chunk is
// back.
func sound(t *testing.T, b *BufRing) {
	t.Helper()
	if b.Available() != b.Buffers() {
		t.Errorf("%d of %d buffers are back", b.Available(), b.Buffers())
	}
	head, errno := b.head()
	if errno == unix.EINVAL {
		return // before Linux 6.8
	}
	if errno != 0 {
		t.Fatal(errno)
	}
	if n := int(b.tail - head); n != b.Buffers() {
		t.Errorf("the kernel has %d of %d buffers", n, b.Buffers())
	}
}

func takeOne(t *testing.T, b *BufRing, c CQE) Chunk {
	t.Helper()
	chunks := b.Take(nil, c)
	if len(chunks) != 1 {
		t.Fatalf("%+v brought %d chunks", c, len(chunks))
	}
	return chunks[0]
}

func TestBufRingSingleShot(t *testing.T) {
	lock(t)
	for _, inc := range []bool{false, true} {
		t.Run(fmt.Sprintf("incremental=%v", inc), func(t *testing.T) {
			lock(t)
			r := openRing(t, Config{})
			b := openBufRing(t, r, BufRingConfig{Size: 64, Buffers: 4, Incremental: inc})
			x, y := socketpair(t)
			for i := range 50 {
				msg := fmt.Sprintf("message %d", i)
				e := r.SQE()
				e.PrepRecv(x, nil, 0)
				e.SelectBuffer(b.Group())
				if i%2 == 0 {
					if err := r.Submit(); err != nil {
						t.Fatal(err)
					}
				}
				unix.Write(int(y), []byte(msg))
				c := takeOne(t, b, next(t, r))
				if !strings.HasPrefix(msg, string(c.Data)) || !inc && len(c.Data) != len(msg) {
					t.Fatalf("got %q, want %q", c.Data, msg)
				}
				if len(c.Data) < len(msg) {
					// The end of a buffer came first.
					e := r.SQE()
					e.PrepRecv(x, nil, 0)
					e.SelectBuffer(b.Group())
					d := takeOne(t, b, next(t, r))
					if string(c.Data)+string(d.Data) != msg {
						t.Fatalf("got %q and %q, want %q", c.Data, d.Data, msg)
					}
					b.Put(d)
				}
				b.Put(c)
			}
			// The last buffer of an incremental group is partly used.
			sound(t, b)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestBufRingExhaustion is the life of a receiver that runs out of buffers: the
// multishot ends with -ENOBUFS, no byte is lost, and it goes on after Put or Grow.
func TestBufRingExhaustion(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	b := openBufRing(t, r, BufRingConfig{Size: 8, Buffers: 2, Max: 4})
	x, y := socketpair(t)
	arm := func() {
		r.SQE().PrepRecvMultishot(x, b.Group(), 0)
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	arm()
	unix.Write(int(y), []byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	var held []Chunk
	want := func(s string, more bool) {
		t.Helper()
		c := next(t, r)
		if c.Err() != nil || c.More() != more {
			t.Fatalf("%+v", c)
		}
		held = b.Take(held, c)
		if got := string(held[len(held)-1].Data); got != s {
			t.Fatalf("got %q, want %q", got, s)
		}
	}
	starved := func() {
		t.Helper()
		c := next(t, r)
		if c.Err() != unix.ENOBUFS || c.More() {
			t.Fatalf("%+v", c)
		}
		if _, ok := c.BufferID(); ok {
			t.Fatalf("a buffer out of an empty group: %+v", c)
		}
		if held = b.Take(held, c); b.Available() != 0 {
			t.Fatalf("%d available", b.Available())
		}
	}
	want("01234567", true)
	want("89abcdef", true)
	starved()
	arm()
	starved()
	b.Put(held[1])
	arm()
	want("ghijklmn", true)
	starved()
	if n := b.Grow(10); n != 2 || b.Buffers() != 4 {
		t.Fatalf("grew by %d to %d", n, b.Buffers())
	}
	arm()
	want("opqrstuv", true)
	want("wxyz", true)
	b.Put(held[0])
	held = append(held[2:3], held[3:]...)
	unix.Write(int(y), []byte("end"))
	want("end", true)
	b.Put(held[0])
	held = held[1:]
	unix.Shutdown(int(y), unix.SHUT_WR)
	if c := next(t, r); c.Res != 0 || c.More() {
		t.Fatalf("at the end of the stream: %+v", c)
	}
	for _, c := range held {
		b.Put(c)
	}
	sound(t, b)
}

// stream is a receiving socket of TestBufRingStreams.
type stream struct {
	fd  int32
	got int
}

// TestBufRingStreams has many streams share few buffers, with chunks kept for a
// while and put back in any order, and checks every byte.
func TestBufRingStreams(t *testing.T) {
	lock(t)
	for _, v := range []struct {
		inc, bundle bool
		buffers     int
	}{{false, false, 3}, {false, false, 64}, {false, true, 64}, {true, false, 2}, {true, false, 16}, {true, true, 16}} {
		t.Run(fmt.Sprintf("incremental=%v,bundle=%v,buffers=%d", v.inc, v.bundle, v.buffers), func(t *testing.T) {
			lock(t)
			r := openRing(t, Config{SQEntries: 8, CQEntries: 16})
			if v.bundle && r.info.Features&FeatRecvSendBundle == 0 {
				t.Skip("no bundles before Linux 6.10")
			}
			b := openBufRing(t, r, BufRingConfig{Size: 256, Buffers: v.buffers, Incremental: v.inc})
			if b.Incremental() != v.inc {
				t.Skip("no incremental consumption before Linux 6.12")
			}
			testStreams(t, r, b, v.bundle)
			sound(t, b)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func testStreams(t *testing.T, r *Ring, b *BufRing, bundle bool) {
	const streams, total = 20, 60_000
	var writers sync.WaitGroup
	defer writers.Wait()
	all := make([]stream, streams)
	for i := range all {
		x, y := socketpair(t)
		all[i].fd = x
		writers.Go(func() { writePattern(t, y, i, total) })
	}
	arm := func(i int) {
		e := r.SQE()
		for e == nil {
			if err := r.Submit(); err != nil && err != unix.EBUSY {
				t.Fatal(err)
			}
			e = r.SQE()
		}
		e.PrepRecvMultishot(all[i].fd, b.Group(), 0)
		if bundle {
			e.IOPrio |= RecvSendBundle
		}
		e.UserData = uint64(i)
	}
	for i := range all {
		arm(i)
	}
	rnd := rand.New(rand.NewPCG(1, uint64(b.Buffers())))
	var held, chunks []Chunk
	var starved []int
	drop := func(n int) {
		for ; n > 0 && len(held) > 0; n-- {
			i := rnd.IntN(len(held))
			b.Put(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		}
	}
	starvations, several := 0, 0
	for open := streams; open > 0; {
		c := next(t, r)
		s := &all[c.UserData]
		chunks = b.Take(chunks[:0], c)
		if len(chunks) > 1 {
			several++
		}
		for _, ch := range chunks {
			for i, x := range ch.Data {
				if x != pattern(int(c.UserData), s.got+i) {
					t.Fatalf("stream %d differs at %d", c.UserData, s.got+i)
				}
			}
			s.got += len(ch.Data)
		}
		held = append(held, chunks...)
		switch {
		case c.Err() == unix.ENOBUFS:
			starvations++
			starved = append(starved, int(c.UserData))
			drop(len(held))
		case c.Err() != nil:
			t.Fatalf("stream %d: %+v", c.UserData, c)
		case c.Res == 0:
			if c.More() || s.got != total {
				t.Fatalf("stream %d ended at %d: %+v", c.UserData, s.got, c)
			}
			open--
		case !c.More():
			arm(int(c.UserData)) // the kernel may end it at any time
		}
		drop(rnd.IntN(3))
		if b.Available() > 0 {
			for _, i := range starved {
				arm(i)
			}
			starved = starved[:0]
		}
	}
	drop(len(held))
	t.Logf("%d times without a buffer, %d bundles of several", starvations, several)
}

func pattern(stream, pos int) byte { return byte(pos*7 + pos>>8 + stream*31) }

// writePattern writes total bytes in pieces of all sizes, and ends the stream.
func writePattern(t *testing.T, fd int32, stream, total int) {
	rnd := rand.New(rand.NewPCG(2, uint64(stream)))
	buf := make([]byte, 2000)
	for pos := 0; pos < total; {
		n := min(1+rnd.IntN(1+rnd.IntN(len(buf))), total-pos)
		for i := range n {
			buf[i] = pattern(stream, pos+i)
		}
		m, err := unix.Write(int(fd), buf[:n])
		switch err {
		case nil:
			pos += m
		case unix.EAGAIN:
			unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLOUT}}, 100)
		case unix.EINTR:
		default:
			t.Errorf("stream %d: %v", stream, err)
			return
		}
	}
	unix.Shutdown(int(fd), unix.SHUT_WR)
}

// TestBufRingCancelled cancels receives that may have taken a buffer already: it must
// come back with the completion, together with its bytes, or not have been taken.
func TestBufRingCancelled(t *testing.T) {
	lock(t)
	for _, inc := range []bool{false, true} {
		r := openRing(t, Config{})
		b := openBufRing(t, r, BufRingConfig{Size: 512, Buffers: 4, Incremental: inc})
		x, y := socketpair(t)
		sent, got := 0, 0
		for i := range 300 {
			e := r.SQE()
			e.PrepRecv(x, nil, 0)
			e.SelectBuffer(b.Group())
			e.UserData = 1
			if i%3 == 0 {
				e.Flags |= SQEAsync // by a kernel thread, which takes its buffer at once
			}
			if err := r.Submit(); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				unix.Write(int(y), []byte{byte(sent)})
				sent++
			}
			for cancels, ended := 0, false; cancels > 0 || !ended; {
				if cancels == 0 {
					e := r.SQE()
					e.PrepCancel(1)
					e.UserData = 2
					cancels++
				}
				c := next(t, r)
				if c.UserData == 2 {
					// EALREADY may come to nothing, and is tried again.
					cancels--
					continue
				}
				ended = true
				if c.Err() != nil && c.Err() != unix.ECANCELED && c.Err() != unix.EINTR {
					t.Fatalf("%+v", c)
				}
				for _, ch := range b.Take(nil, c) {
					for _, v := range ch.Data {
						if v != byte(got) {
							t.Fatalf("byte %d is %d", got, v)
						}
						got++
					}
					b.Put(ch)
				}
			}
		}
		for got < sent {
			e := r.SQE()
			e.PrepRecv(x, nil, 0)
			e.SelectBuffer(b.Group())
			c := takeOne(t, b, next(t, r))
			got += len(c.Data)
			b.Put(c)
		}
		sound(t, b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBufRingGroups(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	var rings []*BufRing
	for range 3 {
		rings = append(rings, openBufRing(t, r, BufRingConfig{Size: 16, Buffers: 5, Max: 9}))
	}
	if rings[2].Group() != 2 {
		t.Errorf("groups %d, %d, %d", rings[0].Group(), rings[1].Group(), rings[2].Group())
	}
	// A chunk outlives its group.
	x, y := socketpair(t)
	unix.Write(int(y), []byte("kept"))
	e := r.SQE()
	e.PrepRecv(x, nil, 0)
	e.SelectBuffer(rings[1].Group())
	c := takeOne(t, rings[1], next(t, r))
	for range 2 {
		if err := rings[1].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if string(c.Data) != "kept" {
		t.Errorf("%q", c.Data)
	}
	rings[1].Put(c)
	if b := openBufRing(t, r, BufRingConfig{Size: 16, Buffers: 1}); b.Group() != 1 {
		t.Errorf("group 1 is not used again, but %d", b.Group())
	}
	e = r.SQE()
	e.PrepRecv(x, nil, 0)
	e.SelectBuffer(77)
	if c := next(t, r); c.Err() != unix.ENOBUFS {
		t.Errorf("a group that does not exist: %+v", c)
	}
	for _, cfg := range []BufRingConfig{{}, {Size: 1}, {Buffers: 1}, {Size: 1, Buffers: maxBufRing + 1}, {Size: -1, Buffers: 1}} {
		if _, err := r.NewBufRing(cfg); !errors.Is(err, unix.EINVAL) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func TestBufRingPutTwice(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	b := openBufRing(t, r, BufRingConfig{Size: 16, Buffers: 2})
	x, y := socketpair(t)
	unix.Write(int(y), []byte("x"))
	e := r.SQE()
	e.PrepRecv(x, nil, 0)
	e.SelectBuffer(b.Group())
	cqe := next(t, r)
	c := takeOne(t, b, cqe)
	mustPanic(t, "Take twice", func() { b.Take(nil, cqe) })
	b.Put(c)
	mustPanic(t, "Put twice", func() { b.Put(c) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", what)
		}
	}()
	f()
}

// TestRecvmsgMultishot receives datagrams with their senders' addresses.
func TestRecvmsgMultishot(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	if !r.Supports(OpSendZC) {
		t.Skip("no multishot receive before Linux 6.0")
	}
	b := openBufRing(t, r, BufRingConfig{Size: 128, Buffers: 8})
	server, to := udpSocket(t)
	client, from := udpSocket(t)
	msg := &unix.Msghdr{Namelen: unix.SizeofSockaddrInet4}
	r.SQE().PrepRecvmsgMultishot(server, msg, b.Group(), 0)
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		text := fmt.Sprintf("datagram %d", i)
		if i == 19 {
			text = string(make([]byte, 200))
		}
		if err := unix.Sendto(int(client), []byte(text), 0, to); err != nil {
			t.Fatal(err)
		}
		c := next(t, r)
		if c.Err() != nil || !c.More() {
			t.Fatalf("%+v", c)
		}
		chunk := takeOne(t, b, c)
		m, err := ParseRecvmsg(chunk.Data, msg)
		if err != nil {
			t.Fatal(err)
		}
		if i < 19 && (string(m.Payload) != text || m.Flags&unix.MSG_TRUNC != 0) {
			t.Errorf("%q, flags %#x", m.Payload, m.Flags)
		}
		if i == 19 && (len(m.Payload) != 128-16-unix.SizeofSockaddrInet4 || m.Flags&unix.MSG_TRUNC == 0) {
			t.Errorf("of a long datagram %d bytes, flags %#x", len(m.Payload), m.Flags)
		}
		if port := int(m.Name[2])<<8 | int(m.Name[3]); len(m.Name) != 16 || port != from.Port || len(m.Control) != 0 {
			t.Errorf("name %v, control %v", m.Name, m.Control)
		}
		b.Put(chunk)
	}
	if _, err := ParseRecvmsg(make([]byte, 31), msg); err == nil {
		t.Error("a buffer shorter than its header is taken apart")
	}
}

// udpSocket returns a bound socket and its address.
func udpSocket(t testing.TB) (int32, *unix.SockaddrInet4) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return int32(fd), sa.(*unix.SockaddrInet4)
}

func TestBufRingDoesNotAllocate(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	b := openBufRing(t, r, BufRingConfig{Size: 64, Buffers: 4})
	x, y := socketpair(t)
	msg := []byte("0123456789")
	var cqes [4]CQE
	chunks := make([]Chunk, 0, 4)
	r.SQE().PrepRecvMultishot(x, b.Group(), 0)
	if n := testing.AllocsPerRun(100, func() {
		unix.Write(int(y), msg)
		r.Wait(1, time.Second)
		for _, c := range cqes[:r.Reap(cqes[:])] {
			for _, ch := range b.Take(chunks[:0], c) {
				b.Put(ch)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	sound(t, b)
}
