package rt

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The raw connection waits for readiness, and ends with its connection.
func TestRawConn(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer p.Close()
		raw := must(c.SyscallConn())(t)
		read := func(b []byte) (n int, err error) {
			rerr := raw.Read(func(fd uintptr) bool {
				n, err = unix.Read(int(fd), b)
				return err != unix.EAGAIN
			})
			if rerr != nil {
				return 0, rerr
			}
			return n, err
		}
		inTask(func() {
			Go(plainly(func() {
				Sleep(20 * time.Millisecond)
				p.Write([]byte("late"))
			}))
			b := make([]byte, 10)
			if n, err := read(b); string(b[:n]) != "late" || err != nil {
				t.Errorf("read %q, %v", b[:n], err)
			}
		})
		if err := raw.Write(func(uintptr) bool { return true }); err != nil {
			t.Error(err)
		}
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read after its deadline: %v", err)
		}
		c.SetReadDeadline(time.Time{})
		pending := later(func() error { _, err := read(make([]byte, 1)); return err })
		time.Sleep(20 * time.Millisecond)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := pending(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a read on a connection that is closed meanwhile: %v", err)
		}
		if err := raw.Control(func(uintptr) { t.Error("called with a closed descriptor") }); !errors.Is(err, net.ErrClosed) {
			t.Errorf("control of a closed connection: %v", err)
		}
	})
}
