package rt

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// When descriptors run out, accepting and dialling fail as in package net, with
// an error that is temporary, and go on when there are some again. The limit is
// one of the process, so the test is another one.
func TestOutOfDescriptors(t *testing.T) {
	if os.Getenv("COGEN_TEST_LIMIT") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOutOfDescriptors$", "-test.v")
		cmd.Env = append(os.Environ(), "COGEN_TEST_LIMIT=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, s := range append([]stack{theirs}, ours...) {
			t.Run(s.name, func(t *testing.T) {
				l := must(s.listen("tcp", "127.0.0.1:0"))(t)
				defer l.Close()
				client := must(net.Dial("tcp", l.Addr().String()))(t)
				defer client.Close()

				restore := exhaustDescriptors(t)
				for range 3 {
					c, err := l.Accept()
					if err == nil {
						c.Close()
						t.Fatal("accepted a connection without a descriptor for it")
					}
					checkEMFILE(t, err, "accept", "accept4")
				}
				_, err := s.dial("tcp", l.Addr().String())
				checkEMFILE(t, err, "dial", "socket")
				_, err = s.listen("tcp", "127.0.0.1:0")
				checkEMFILE(t, err, "listen", "socket")
				restore()

				l.SetDeadline(time.Now().Add(10 * time.Second))
				c := must(l.Accept())(t)
				defer c.Close()
				write(t, client, "there")
				b := make([]byte, 5)
				if n, err := c.Read(b); string(b[:n]) != "there" || err != nil {
					t.Errorf("read %q, %v", b[:n], err)
				}
			})
		}
	})
}

func checkEMFILE(t *testing.T, err error, op, call string) {
	t.Helper()
	var oe *net.OpError
	var se *os.SyscallError
	if !errors.As(err, &oe) || !errors.As(err, &se) || !errors.Is(err, syscall.EMFILE) {
		t.Fatalf("got %v, want a net.OpError with EMFILE", err)
	}
	if oe.Op != op || se.Syscall != call || !oe.Temporary() || oe.Timeout() {
		t.Errorf("op %q, call %q, temporary %v, timeout %v; want %q, %q, true, false",
			oe.Op, se.Syscall, oe.Temporary(), oe.Timeout(), op, call)
	}
}

// exhaustDescriptors lowers the limit and takes every descriptor below it. The
// function it returns undoes that.
func exhaustDescriptors(t *testing.T) (restore func()) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = 200
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	var taken []int
	for {
		fd, err := unix.Dup(1)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	return func() {
		for _, fd := range taken {
			unix.Close(fd)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Error(err)
		}
	}
}

// shortDriver is a driver on a system that has too many files open: it refuses some accepts.
type shortDriver struct {
	driver.Driver
	refusals int
}

func (d *shortDriver) Submit(op *driver.Op) bool {
	if op.Code == driver.Accept && d.refusals > 0 {
		d.refusals--
		op.Res = -int32(syscall.ENFILE)
		return true
	}
	return d.Driver.Submit(op)
}

// TestSystemOutOfFiles has accepts fail because the system, and not the process, has no files
// left. The listener stays up.
func TestSystemOutOfFiles(t *testing.T) {
	makers := driverMakers
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			withDrivers(t, driverMaker{m.name, func(p *blocking.Pool) (driver.Driver, error) {
				d, err := m.make(p)
				if err != nil {
					return nil, err
				}
				return &shortDriver{d, 3}, nil
			}})
			r := newRuntime(t, m.name, 1)
			defer r.Close()
			l := must(Listen("tcp", "127.0.0.1:0"))(t)
			defer l.Close()
			client := must(net.Dial("tcp", l.Addr().String()))(t)
			defer client.Close()
			for range 3 {
				f := l.AcceptConnAsync()
				r.Run(f)
				_, err := f.Result()
				var temporary interface{ Temporary() bool }
				if !errors.Is(err, syscall.ENFILE) || !errors.As(err, &temporary) || !temporary.Temporary() {
					t.Errorf("%v", err)
				}
			}
			f := l.AcceptConnAsync()
			r.Run(f)
			must(f.Result())(t).Close()
		})
	}
}
