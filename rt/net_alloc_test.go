package rt

import (
	"io"
	"reflect"
	"testing"
	"time"
)

// Reading and writing allocate nothing, in any form, whether or not they have
// to wait.
func TestReadAndWriteDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, and sync.Pool drops things on purpose")
	}
	forms := []struct {
		name string
		// task returns a future that exchanges bytes over c until it ends.
		task func(c *Conn) Future
	}{
		{"async", func(c *Conn) Future { return echoAsync(c, 64) }},
		{"borrowed", func(c *Conn) Future { return lentEchoAsync(c) }},
		{"nested", func(c *Conn) Future {
			buf := make([]byte, 64)
			return plainly(func() {
				defer c.Close()
				for {
					n, err := c.Read(buf)
					if err != nil {
						return
					}
					if _, err := c.Write(buf[:n]); err != nil {
						return
					}
				}
			})
		}},
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		skipPortable(t, r)
		for _, f := range forms {
			t.Run(f.name, func(t *testing.T) {
				address, stop := startServer(t, r, func(c *Conn) { Go(f.task(c)) })
				defer stop()
				c := dialNet(t, address)
				defer c.Close()
				buf := make([]byte, 64)
				if n := testing.AllocsPerRun(500, func() {
					if _, err := c.Write(buf); err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(c, buf); err != nil {
						t.Fatal(err)
					}
				}); n > 0 {
					t.Errorf("an echo makes %v allocations, want none", n)
				}
			})
		}
		t.Run("goroutine", func(t *testing.T) {
			c, p := connPair(t)
			defer c.Close()
			defer p.Close()
			buf := make([]byte, 64)
			if n := testing.AllocsPerRun(500, func() {
				if _, err := c.Write(buf); err != nil {
					t.Fatal(err)
				}
				if _, err := p.ReadFull(buf); err != nil {
					t.Fatal(err)
				}
			}); n > 0 {
				t.Errorf("a write and a read that need not wait make %v allocations, want none", n)
			}
		})
	})
}

// A deadline that is set again for each operation costs no allocations either.
func TestDeadlinesDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		skipPortable(t, r)
		address, stop := startServer(t, r, func(c *Conn) { Go(&deadlineEcho{echoFrame: *echoAsync(c, 64)}) })
		defer stop()
		c := dialNet(t, address)
		defer c.Close()
		buf := make([]byte, 64)
		if n := testing.AllocsPerRun(500, func() {
			c.Write(buf)
			if _, err := io.ReadFull(c, buf); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("an echo with deadlines makes %v allocations, want none", n)
		}
	})
}

// A deadlineEcho sets deadlines each time it is polled.
type deadlineEcho struct{ echoFrame }

func (f *deadlineEcho) Poll(cx *Context) bool {
	if f.state != 3 {
		f.conn.SetDeadline(time.Now().Add(time.Minute))
	}
	return f.echoFrame.Poll(cx)
}

// The memory of what there is much of.
func TestSizes(t *testing.T) {
	for _, s := range []struct {
		name      string
		size, max uintptr
	}{
		{"ReadFuture", reflect.TypeFor[ReadFuture]().Size(), 88},
		{"BorrowFuture", reflect.TypeFor[BorrowFuture]().Size(), 104},
		{"inflow", reflect.TypeFor[inflow]().Size(), 176},
		{"WriteFuture", reflect.TypeFor[WriteFuture]().Size(), 96},
		{"AcceptConnFuture", reflect.TypeFor[AcceptConnFuture]().Size(), 136},
		{"CloseFuture", reflect.TypeFor[CloseFuture]().Size(), 48},
		{"Conn", reflect.TypeFor[Conn]().Size(), 208},
		{"task", reflect.TypeFor[task]().Size(), 72},
	} {
		if s.size > s.max {
			t.Errorf("%s has %d bytes, want at most %d", s.name, s.size, s.max)
		}
		t.Logf("%s: %d bytes", s.name, s.size)
	}
}
