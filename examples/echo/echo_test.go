package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cogen-go/cogen/internal/load"
	"github.com/cogen-go/cogen/internal/service"
)

var server string // the built program

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "echo")
	if err != nil {
		panic(err)
	}
	server = filepath.Join(dir, "echo")
	build := exec.Command("go", "build", "-o", server, ".")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	err = build.Run()
	status := 1
	if err == nil {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// onEveryDriver runs a test with a server on each driver, and checks that the
// server ends without leaving anything behind.
func onEveryDriver(t *testing.T, test func(t *testing.T, s *load.Server)) {
	for _, driver := range []string{"uring", "epoll"} {
		t.Run(driver, func(t *testing.T) {
			s, err := load.Start(server, "COGEN_DRIVER="+driver, noHandOff)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Kill()
			test(t, s)
			r, err := s.Stop()
			if err != nil {
				t.Fatal(err)
			}
			if r.Driver != driver {
				t.Errorf("the server used %s", r.Driver)
			}
			if r.Connections != 0 {
				t.Errorf("the server ended with open connections: %+v", r)
			}
		})
	}
}

// noHandOff keeps a server that is slow because the machine is busy from making
// standby threads, which tests that count would take for a leak.
const noHandOff = "COGEN_HANDOFF=-1s"

func dial(t *testing.T, s *load.Server) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// check sends text and wants it back.
func check(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Fatalf("sent %q, got %q", text, got)
	}
}

func TestEcho(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		c := dial(t, s)
		check(t, c, "hello")
		check(t, c, string(bytes.Repeat([]byte("0123456789"), 10_000)))

		// What was sent before the client's end arrives, then the server's end.
		if _, err := io.WriteString(c, "last words"); err != nil {
			t.Fatal(err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(c)
		if err != nil || string(rest) != "last words" {
			t.Fatalf("after the end of what was sent: %q, %v", rest, err)
		}
	})
}

// TestBadClients has clients that misbehave, each in its own way, and wants the
// server to go on serving another.
func TestBadClients(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		good := dial(t, s)
		check(t, good, "before")

		// One that sends and never reads. The server fills its buffers and then
		// must wait, with this one only.
		greedy := dial(t, s)
		greedy.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		chunk := make([]byte, 64<<10)
		for {
			if _, err := greedy.Write(chunk); err != nil {
				break
			}
		}
		check(t, good, "one never reads")

		// One that resets the connection while its echo is on the way.
		reset := dial(t, s)
		if _, err := reset.Write(chunk); err != nil {
			t.Fatal(err)
		}
		if err := reset.SetLinger(0); err != nil {
			t.Fatal(err)
		}
		reset.Close()
		check(t, good, "one was reset")

		// One that closes in the middle.
		gone := dial(t, s)
		if _, err := gone.Write(chunk[:100]); err != nil {
			t.Fatal(err)
		}
		gone.Close()
		check(t, good, "one has gone")

		// One that trickles.
		slow := dial(t, s)
		for _, b := range []byte("slowly") {
			check(t, slow, string(b))
			check(t, good, "one is slow")
		}
		greedy.Close()
		check(t, good, "after")
	})
}

// TestGracefulStop sends the signal while connections are open: the idle ones
// are closed, and nobody can connect any more.
func TestGracefulStop(t *testing.T) {
	for _, driver := range []string{"uring", "epoll"} {
		t.Run(driver, func(t *testing.T) {
			s, err := load.Start(server, "COGEN_DRIVER="+driver, noHandOff)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Kill()
			c := dial(t, s)
			check(t, c, "hello")
			if _, err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("read after the server's end: %d, %v", n, err)
			}
			if c, err := net.Dial("tcp", s.Addr); err == nil {
				c.Close()
				t.Error("the server still accepts")
			}
		})
	}
}

// TestAddressInUse wants a message and the exit status 1.
func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := exec.Command(server, "-addr", l.Addr().String()).CombinedOutput()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 || !bytes.Contains(out, []byte("address already in use")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestManyConnections opens connections by the thousand, exchanges messages on
// all of them at once, closes them, and wants the server to be as it was before.
func TestManyConnections(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if max := int(limit.Cur) - 200; n > max {
		t.Logf("only %d connections: the limit of descriptors is %d", max, limit.Cur)
		n = max
	}
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		// The first round makes what is made once: workers, pools.
		flood(t, s, 100)
		before := settled(t, s, nil)
		flood(t, s, n)
		after := settled(t, s, &before)
		if after.Accepted != before.Accepted+uint64(n) {
			t.Errorf("accepted %d connections, want %d", after.Accepted-before.Accepted, n)
		}
	})
}

func flood(t *testing.T, s *load.Server, n int) {
	t.Helper()
	conns, err := load.Dial(t.Context(), s.Addr, n)
	defer load.CloseAll(conns)
	if err != nil {
		t.Fatal(err)
	}
	if err := load.EchoAll(conns, 3, 64); err != nil {
		t.Fatal(err)
	}
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	if r.Connections != n {
		t.Errorf("the server has %d connections, want %d", r.Connections, n)
	}
}

// settled returns the server's report once all connections are closed and, with
// want, once nothing is there that was not there then.
func settled(t *testing.T, s *load.Server, want *service.Report) service.Report {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		r, err := s.Report()
		if err != nil {
			t.Fatal(err)
		}
		leaked := want != nil && (r.Tasks > want.Tasks || r.InFlight > want.InFlight ||
			r.Goroutines > want.Goroutines || r.Descriptors > want.Descriptors)
		if r.Connections == 0 && !leaked {
			return r
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not return to what it was\nbefore: %+v\nafter:  %+v", want, r)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
