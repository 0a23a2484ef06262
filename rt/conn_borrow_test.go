package rt

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"
)

// A lentEcho is a frame, as cogen would generate it, of
//
//	func echo(c *rt.Conn) {
//		defer c.Close()
//		for {
//			got, err := c.Borrow()
//			if err != nil {
//				return
//			}
//			_, err = c.Write(got.Bytes())
//			got.Return()
//			if err != nil {
//				return
//			}
//		}
//	}
type lentEcho struct {
	state  int
	conn   *Conn
	loan   Loan
	borrow BorrowFuture
	write  WriteFuture
	close  CloseFuture
}

func lentEchoAsync(c *Conn) *lentEcho { return &lentEcho{conn: c} }

func (f *lentEcho) Poll(cx *Context) bool {
	for {
		switch f.state {
		case 0:
			f.borrow.Init(f.conn)
			f.state = 1
		case 1:
			if !f.borrow.Poll(cx) {
				return false
			}
			loan, err := f.borrow.Result()
			if err != nil {
				f.close.Init(f.conn)
				f.state = 3
				continue
			}
			f.loan = loan
			f.write.Init(f.conn, loan.Bytes())
			f.state = 2
		case 2:
			if !f.write.Poll(cx) {
				return false
			}
			f.loan.Return()
			f.state = 0
			if _, err := f.write.Result(); err != nil {
				f.close.Init(f.conn)
				f.state = 3
			}
		case 3:
			return f.close.Poll(cx)
		}
	}
}

// Streams of all sizes come back whole.
func TestBorrowEcho(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startServer(t, r, func(c *Conn) { Go(lentEchoAsync(c)) })
		defer stop()
		for _, size := range []int{1, 64, 1000, 5000, 100_000, 3_000_000} {
			c := dialNet(t, address)
			sent := make([]byte, size)
			for i := range sent {
				sent[i] = byte(i % 251)
			}
			for range 5 {
				go c.Write(sent)
				got := make([]byte, size)
				if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, sent) {
					t.Fatalf("%d bytes have not come back: %v", size, err)
				}
			}
			c.Close()
		}
	})
}

// Read and Borrow, by tasks of two workers and by goroutines, take turns on one
// stream: nothing is lost, doubled or moved.
func TestBorrowAndReadMixed(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer p.Close()
		defer c.Close()
		total := 2_000_000
		if testing.Short() {
			total = 300_000
		}
		go func() {
			rnd := rand.New(rand.NewPCG(1, 1))
			for pos := 0; pos < total; {
				b := make([]byte, min(1+rnd.IntN(rnd.IntN(20_000)+1), total-pos))
				for i := range b {
					b[i] = byte((pos + i) % 251)
				}
				if _, err := p.Write(b); err != nil {
					t.Error(err)
					return
				}
				pos += len(b)
				if rnd.IntN(3) == 0 {
					time.Sleep(50 * time.Microsecond)
				}
			}
			p.CloseWrite()
		}()
		rnd := rand.New(rand.NewPCG(2, 2))
		pos := 0
		check := func(b []byte) {
			for i, x := range b {
				if x != byte((pos+i)%251) {
					t.Fatalf("byte %d of %d is %d", pos+i, len(b), x)
				}
			}
			pos += len(b)
		}
		var kept []Loan
		var err error
		buf := make([]byte, 3000)
		step := func(times int) func() {
			return func() {
				for range times {
					if err != nil {
						return
					}
					if rnd.IntN(2) == 0 {
						var n int
						n, err = c.Read(buf[:1+rnd.IntN(len(buf))])
						check(buf[:n])
						continue
					}
					var l Loan
					l, err = c.Borrow()
					check(l.Bytes())
					if kept = append(kept, l); len(kept) > 5 {
						kept[0].Return()
						kept = kept[1:]
					}
				}
			}
		}
		for err == nil {
			if rnd.IntN(3) == 0 {
				step(1 + rnd.IntN(4))()
				continue
			}
			inTask(step(1 + rnd.IntN(50)))
		}
		if err != io.EOF || pos != total {
			t.Errorf("%v after %d bytes of %d", err, pos, total)
		}
		for _, l := range kept {
			l.Return()
		}
	})
}

// flowing makes c receive ahead where the driver can, by borrowing in one task.
func flowing(t *testing.T, c, p *Conn) {
	t.Helper()
	inTask(func() {
		for range 5 {
			if _, err := p.Write([]byte("x")); err != nil {
				t.Error(err)
			}
			l, err := c.Borrow()
			if err != nil || string(l.Bytes()) != "x" {
				t.Errorf("%q, %v", l.Bytes(), err)
			}
			l.Return()
		}
	})
}

// Deadlines and closing end a borrowing, whether or not bytes are received ahead, and
// take nothing with them that is wanted later.
func TestBorrowEnds(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, ahead := range []bool{false, true} {
			c, p := connPair(t)
			if ahead {
				flowing(t, c, p)
			}
			c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			for _, where := range []func(func()){inTask, func(f func()) { f() }} {
				where(func() {
					if _, err := c.Borrow(); !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("ahead %v: %v, want a deadline exceeded", ahead, err)
					}
				})
			}
			p.Write([]byte("late"))
			c.SetReadDeadline(time.Time{})
			inTask(func() {
				l, err := c.Borrow()
				if err != nil || string(l.Bytes()) != "late" {
					t.Errorf("ahead %v: %q, %v", ahead, l.Bytes(), err)
				}
				l.Return()
			})

			ended := make(chan error, 1)
			go inTask(func() {
				_, err := c.Borrow()
				ended <- err
			})
			time.Sleep(5 * time.Millisecond)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, net.ErrClosed) {
				t.Errorf("ahead %v: %v, want closed", ahead, err)
			}
			if _, err := c.Borrow(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("ahead %v: %v, want closed", ahead, err)
			}
			p.Close()
		}
	})
}

// A connection that is closed while nobody reads, with bytes received ahead.
func TestBorrowClosedIdle(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for i := range 50 {
			c, p := connPair(t)
			flowing(t, c, p)
			p.Write(make([]byte, 10_000))
			if i%2 == 0 {
				time.Sleep(time.Millisecond)
			}
			if i%3 == 0 {
				inTask(func() { c.Close() })
			} else {
				c.Close()
			}
			p.Close()
		}
	})
}

// The end of the stream, and a reset, are told after the bytes before them, again and
// again.
func TestBorrowEndOfStream(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		flowing(t, c, p)
		p.Write([]byte("last"))
		p.Close()
		inTask(func() {
			l, err := c.Borrow()
			if err != nil || string(l.Bytes()) != "last" {
				t.Errorf("%q, %v", l.Bytes(), err)
			}
			l.Return()
			for range 3 {
				if _, err := c.Borrow(); err != io.EOF {
					t.Errorf("%v, want EOF", err)
				}
				if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					t.Errorf("%d, %v, want EOF", n, err)
				}
			}
		})
		c.Close()
	})
}

// A slow reader suspends the writer, also when bytes are received ahead: what is
// held for it is bounded.
func TestBorrowSlowReader(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		flowing(t, c, p)
		p.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
		n, err := p.Write(make([]byte, 64<<20))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("all of %d bytes were taken: %v", n, err)
		}
		got := 0
		inTask(func() {
			c.SetReadDeadline(time.Now().Add(10 * time.Second))
			for got < n {
				l, err := c.Borrow()
				if err != nil {
					t.Errorf("after %d bytes of %d: %v", got, n, err)
					return
				}
				got += len(l.Bytes())
				l.Return()
			}
		})
	})
}

// Loans outlive their connection, and are given back once.
func TestLoan(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		flowing(t, c, p)
		p.Write([]byte("mine"))
		var l Loan
		inTask(func() { l = must(c.Borrow())(t) })
		c.Close()
		p.Close()
		if string(l.Bytes()) != "mine" {
			t.Errorf("%q", l.Bytes())
		}
		l.Return()
		for _, f := range []func(){l.Return, func() { l.Bytes() }} {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("a loan can be used after its return")
					}
				}()
				f()
			}()
		}
		var none Loan
		none.Return()
		if none.Bytes() != nil {
			t.Error("no loan has bytes")
		}
	})
}
