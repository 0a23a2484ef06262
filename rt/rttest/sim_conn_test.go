//go:build linux && !cogen_portable

package rttest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/rt/rttest"
)

// simulateNet is simulate with a network that is drawn, too, and no goroutines.
func simulateNet(t *testing.T, n rttest.Network, f func(y *play)) {
	t.Helper()
	rttest.Config{Network: n}.Seeds(t, simSeeds, func(s *rttest.Sim) { f(&play{s: s}) })
}

// text is n bytes of a stream from its byte first on.
func text(first, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte((first + i) * 31 >> 3)
	}
	return b
}

// gaveUp reports whether err is of an operation that was given up.
func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// A half is one direction of a connection: what has been written, and read.
type half struct {
	written, read int
	ended         bool
}

// Each byte of a connection is read once and in order, whoever reads it, by Read or by
// borrowing, in all forms; those who give up or whose deadline passes have taken
// nothing, and have written what they say. Deadlines pass when they should.
func TestSimConn(t *testing.T) {
	simulateNet(t, rttest.Network{}, func(y *play) {
		s := y.s
		l, err := rt.Listen("tcp", "10.0.0.1:80")
		if err != nil {
			s.Fatal(err)
		}
		var ends [2]*rt.Conn
		accepted := start(func() { ends[1], err = l.AcceptConn() })
		c, err2 := rt.Dial("tcp", "10.0.0.1:80")
		accepted.Wait()
		if err != nil || err2 != nil {
			s.Fatal(err, err2)
		}
		ends[0] = c
		l.Close()
		var halves [2]half
		for i, c := range ends {
			h := &halves[i]
			out := y.add()
			for range y.between(1, 8) {
				out.pause()
				n := y.between(1, 3000)
				var f *rt.WriteFuture
				var wrote int
				var err error
				out.attempt(func() rt.Canceler { f = c.WriteAsync(text(h.written, n)); return f },
					func() { f = nil; wrote, err = c.Write(text(h.written, n)) },
					func(bool) {
						if f != nil {
							wrote, err = f.Result()
						}
						h.written += wrote
						if wrote > n || wrote < n && !gaveUp(err) {
							s.Errorf("wrote %d of %d: %v", wrote, n, err)
						}
					})
			}
			out.call(func() {
				if err := c.CloseWrite(); err != nil {
					s.Error(err)
				}
			})
			in := y.add()
			peer := ends[1-i]
			borrows := y.between(0, 2)
			for range y.between(1, 10) {
				in.pause()
				if y.odds(5) {
					in.read(peer, h, time.Duration(y.between(0, 3))*time.Millisecond, borrows)
				} else {
					in.read(peer, h, -1, borrows)
				}
			}
			buf := make([]byte, 2000)
			var f *rt.ReadFuture
			in.do(step{
				await: func() rt.Future { f = peer.ReadAsync(buf); return f },
				then:  func() { n, err := f.Result(); h.took(s, buf[:n], err) },
				again: func() bool { return !h.ended && !s.Failed() },
			})
		}
		y.enact()
		for i, h := range halves {
			if h.read != h.written || !h.ended {
				s.Errorf("%d: %d written, %d read", i, h.written, h.read)
			}
			if err := ends[i].Close(); err != nil {
				s.Error(err)
			}
		}
	})
}

// took notes what a read has brought.
func (h *half) took(s *rttest.Sim, got []byte, err error) {
	if !bytes.Equal(got, text(h.read, len(got))) {
		s.Errorf("wrong bytes after %d", h.read)
	}
	h.read += len(got)
	switch {
	case err == nil && len(got) == 0:
		s.Error("read nothing")
	case err == io.EOF:
		h.ended = true
	case err != nil && !gaveUp(err):
		s.Error(err)
	}
}

// read adds a read from c, by borrowing if borrows is 1, and by chance if it is 2. It has a
// deadline after d, if that is not negative.
func (p *party) read(c *rt.Conn, h *half, d time.Duration, borrows int) {
	s := p.s
	var when time.Time
	buf := make([]byte, 1+s.Rand().IntN(4000))
	if d >= 0 {
		p.call(func() {
			when = time.Now().Add(d)
			c.SetReadDeadline(when)
		})
	}
	took := func(got []byte, err error) {
		if d >= 0 {
			c.SetReadDeadline(time.Time{})
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && d >= 0 {
			if now := time.Now(); now.Before(when) || d > 0 && now.After(when) {
				s.Errorf("a deadline passes %v after its time", now.Sub(when))
			}
			return
		}
		h.took(s, got, err)
	}
	if borrows == 1 || borrows == 2 && s.Rand().IntN(2) == 0 {
		var f *rt.BorrowFuture
		var loan rt.Loan
		var err error
		p.attempt(func() rt.Canceler { f = c.BorrowAsync(); return f },
			func() { f = nil; loan, err = c.Borrow() },
			func(bool) {
				if f != nil {
					loan, err = f.Result()
				}
				took(loan.Bytes(), err)
				loan.Return()
			})
		return
	}
	var f *rt.ReadFuture
	var n int
	var err error
	p.attempt(func() rt.Canceler { f = c.ReadAsync(buf); return f },
		func() { f = nil; n, err = c.Read(buf) },
		func(bool) {
			if f != nil {
				n, err = f.Result()
			}
			took(buf[:n], err)
		})
}

// Connections that are closed, reset and cut off at any time fail with the errors that they
// should, and everybody who waits for them hears of it.
func TestSimConnFails(t *testing.T) {
	simulateNet(t, rttest.Network{Reset: 0.02}, func(y *play) {
		s := y.s
		host := netip.MustParseAddr("10.0.0.1")
		l, err := rt.Listen("tcp", "10.0.0.1:80")
		if err != nil {
			s.Fatal(err)
		}
		var conns []*rt.Conn
		accepting := start(func() {
			for {
				c, err := l.AcceptConn()
				if errors.Is(err, net.ErrClosed) {
					return
				}
				if err != nil {
					s.Error(err)
					return
				}
				conns = append(conns, c)
			}
		})
		n := y.between(1, 3)
		for range n {
			c, err := rt.Dial("tcp", "10.0.0.1:80")
			if err != nil {
				s.Fatal(err)
			}
			conns = append(conns, c)
		}
		for len(conns) < 2*n {
			rt.Sleep(time.Millisecond)
		}
		check := func(op string, n int, err error) {
			switch {
			case err == nil, err == io.EOF, gaveUp(err):
			case errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ETIMEDOUT):
			default:
				s.Errorf("%s: %d, %v", op, n, err)
			}
		}
		closed := make(map[*rt.Conn]bool)
		for _, c := range conns {
			for range y.between(1, 3) {
				reader, writer := y.add(), y.add()
				for range y.between(1, 6) {
					reader.pause()
					buf := make([]byte, 1+s.Rand().IntN(2000))
					if y.odds(1) {
						var f *rt.BorrowFuture
						reader.attempt(func() rt.Canceler { f = c.BorrowAsync(); return f },
							func() { f = c.BorrowAsync(); rt.Await(f) },
							func(bool) {
								loan, err := f.Result()
								check("borrow", len(loan.Bytes()), err)
								loan.Return()
							})
					} else {
						var f *rt.ReadFuture
						reader.attempt(func() rt.Canceler { f = c.ReadAsync(buf); return f },
							func() { f = c.ReadAsync(buf); rt.Await(f) },
							func(bool) { n, err := f.Result(); check("read", n, err) })
					}
					writer.pause()
					var f *rt.WriteFuture
					writer.attempt(func() rt.Canceler { f = c.WriteAsync(buf); return f },
						func() { f = c.WriteAsync(buf); rt.Await(f) },
						func(bool) { n, err := f.Result(); check("write", n, err) })
				}
			}
			spoiler := y.add()
			spoiler.sleep(time.Duration(y.between(0, 15)) * time.Millisecond)
			switch s.Rand().IntN(4) {
			case 0:
				spoiler.call(func() { s.Reset(c) })
				spoiler.sleep(time.Second)
			case 1:
				spoiler.call(func() { s.Isolate(host) })
				spoiler.sleep(time.Duration(y.between(1, 2000)) * time.Second)
				spoiler.call(func() { s.Rejoin(host) })
				spoiler.sleep(time.Duration(y.between(1, 500)) * time.Second)
			case 2:
				spoiler.call(func() { c.SetDeadline(time.Now().Add(time.Duration(s.Rand().IntN(5)) * time.Millisecond)) })
				spoiler.pause()
			}
			if y.odds(1) {
				spoiler.do(step{
					await: func() rt.Future { return c.CloseAsync() },
					plain: func() { c.Close() },
					then:  func() { closed[c] = true },
				})
			} else {
				spoiler.call(func() { c.SetDeadline(time.Now()) })
				spoiler.sleep(time.Millisecond)
				spoiler.do(step{await: func() rt.Future { closed[c] = true; return c.CloseAsync() }})
			}
		}
		y.enact()
		l.Close()
		accepting.Wait()
		for _, c := range conns {
			if err := c.Close(); closed[c] != errors.Is(err, net.ErrClosed) {
				s.Errorf("close: %v, closed before: %v", err, closed[c])
			}
		}
	})
}

// Who dials gets a connection that is accepted once, unless one of both gives up; accepts that are
// given up leave theirs to the next.
func TestSimAccept(t *testing.T) {
	simulateNet(t, rttest.Network{}, func(y *play) {
		s := y.s
		l, err := rt.Listen("tcp", "10.0.0.1:80")
		if err != nil {
			s.Fatal(err)
		}
		dialed, heard := make(map[byte]bool), make(map[byte]bool)
		accept := func(c *rt.Conn) {
			defer c.Close()
			b := make([]byte, 2)
			switch n, err := io.ReadFull(c, b); {
			case n == 0 && (err == io.EOF || errors.Is(err, syscall.ECONNRESET)): // it has given up
			case n == 1 && err == io.ErrUnexpectedEOF:
				if heard[b[0]] {
					s.Errorf("%d was accepted twice", b[0])
				}
				heard[b[0]] = true
			default:
				s.Errorf("%q, %v", b[:n], err)
			}
		}
		dialing := y.between(1, 8)
		left := dialing
		for i := range byte(dialing) {
			p := y.add()
			p.pause()
			var f *rt.DialFuture
			p.attempt(func() rt.Canceler { f = rt.DialAsync("tcp", "10.0.0.1:80"); return f },
				func() { f = rt.DialAsync("tcp", "10.0.0.1:80"); rt.Await(f) },
				func(got bool) {
					c, err := f.Result()
					if c == nil {
						if !gaveUp(err) {
							s.Error(err)
						}
						return
					}
					dialed[i] = true
					if _, err := c.Write([]byte{i}); err != nil {
						s.Error(err)
					}
					c.Close()
				})
			p.call(func() { left-- })
		}
		for range y.between(1, 4) {
			p := y.add()
			for range y.between(1, 4) {
				p.pause()
				f := new(rt.AcceptConnFuture)
				d := time.Duration(y.between(0, 3)) * time.Millisecond
				p.wait(func() rt.Future { f.Init(l); return rt.WithTimeoutAsync(d, f) }, func() {
					c, err := f.Result()
					if c != nil {
						start(func() { accept(c) })
					} else if !gaveUp(err) {
						s.Error(err)
					}
				})
			}
		}
		done := start(func() {
			for {
				c, err := l.AcceptConn()
				if err != nil {
					if !errors.Is(err, os.ErrDeadlineExceeded) {
						s.Error(err)
					}
					return
				}
				start(func() { accept(c) })
			}
		})
		y.enact()
		l.SetDeadline(time.Now().Add(time.Second)) // the last ones may be under way
		done.Wait()
		rt.Sleep(time.Second)
		l.Close()
		for i := range dialed {
			if !heard[i] {
				s.Errorf("%d has dialed, and was not accepted", i)
			}
		}
	})
}

// Datagrams are received whole, by one each, and not by those who give up.
func TestSimPackets(t *testing.T) {
	simulateNet(t, rttest.Network{Loss: 0.05, Duplicate: 0.05}, func(y *play) {
		s := y.s
		server, err := rt.ListenPacket("udp", "10.0.0.1:53")
		if err != nil {
			s.Fatal(err)
		}
		copies := make(map[int]int)
		sent := 0
		for range y.between(1, 4) {
			client, err := rt.ListenPacket("udp", "10.0.0.2:0")
			if err != nil {
				s.Fatal(err)
			}
			p := y.add()
			for range y.between(1, 6) {
				p.pause()
				p.call(func() {
					sent++
					out := append([]byte{byte(sent)}, text(sent, 2*sent)...)
					if n, err := client.WriteTo(out, server.LocalAddr()); n != len(out) || err != nil {
						s.Errorf("sent %d of %d: %v", n, len(out), err)
					}
				})
			}
			p.call(func() { client.Close() })
		}
		for range y.between(1, 3) {
			p := y.add()
			for range y.between(1, 8) {
				p.pause()
				buf := make([]byte, 300)
				var f *rt.ReadFromFuture
				d := time.Duration(y.between(0, 3)) * time.Millisecond
				p.wait(func() rt.Future { f = server.ReadFromAsync(buf); return rt.WithTimeoutAsync(d, f) }, func() {
					n, from, err := f.Result()
					if gaveUp(err) {
						return
					}
					if err != nil || n == 0 {
						s.Errorf("%d, %v, %v", n, from, err)
						return
					}
					i := int(buf[0])
					copies[i]++
					if !bytes.Equal(buf[1:n], text(i, 2*i)) {
						s.Errorf("%d: wrong bytes", i)
					}
				})
			}
		}
		y.enact()
		server.Close()
		for i, n := range copies {
			if n > 2 || i > sent {
				s.Errorf("%d was received %d times", i, n)
			}
		}
	})
}

// An echoer is a frame that sends back what it borrows, until the stream ends.
type echoer struct {
	c      *rt.Conn
	borrow rt.BorrowFuture
	write  rt.WriteFuture
	loan   rt.Loan
	state  int
	err    error
}

func (e *echoer) Poll(cx *rt.Context) bool {
	for {
		switch e.state {
		case 0:
			e.borrow.Init(e.c)
			e.state = 1
		case 1:
			if !e.borrow.Poll(cx) {
				return false
			}
			if e.loan, e.err = e.borrow.Result(); e.err != nil {
				return true
			}
			e.write.Init(e.c, e.loan.Bytes())
			e.state = 2
		case 2:
			if !e.write.Poll(cx) {
				return false
			}
			e.loan.Return()
			if _, e.err = e.write.Result(); e.err != nil {
				return true
			}
			e.state = 0
		}
	}
}

// Who waits for an answer gets it when it has arrived, and not with something that comes
// later.
func TestSimEcho(t *testing.T) {
	most := 2 * time.Millisecond // there and back
	simulateNet(t, rttest.Network{Buffer: 4096}, func(y *play) {
		s := y.s
		l, err := rt.Listen("tcp", "10.0.0.1:7")
		if err != nil {
			s.Fatal(err)
		}
		for range y.between(1, 3) {
			c, err := rt.Dial("tcp", "10.0.0.1:7")
			if err != nil {
				s.Fatal(err)
			}
			server, err := l.AcceptConn()
			if err != nil {
				s.Fatal(err)
			}
			e := &echoer{c: server}
			echo := y.add()
			echo.wait(func() rt.Future { return e }, func() {
				if e.err != io.EOF {
					s.Error(e.err)
				}
				server.Close()
			})
			client := y.add()
			for range y.between(1, 12) {
				client.pause()
				out := text(s.Rand().IntN(100), y.between(1, 1000))
				in := make([]byte, len(out))
				var begun time.Time
				client.do(step{
					await: func() rt.Future { begun = time.Now(); return c.WriteAsync(out) },
					plain: func() { begun = time.Now(); c.Write(out) },
				})
				client.do(step{
					await: func() rt.Future { return c.ReadFullAsync(in) },
					plain: func() { c.ReadFull(in) },
					then: func() {
						if !bytes.Equal(in, out) {
							s.Error("the echo is not what was sent")
						}
						if d := time.Since(begun); d > most {
							s.Errorf("the echo took %v", d)
						}
					},
				})
			}
			client.call(func() { c.Close() })
		}
		y.enact()
		l.Close()
	})
}
