package rt

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// standIn is what Default returns instead of the default runtime, if set.
var standIn atomic.Pointer[Runtime]

func init() {
	standard := defaultRuntime
	defaultRuntime = func() *Runtime {
		if r := standIn.Load(); r != nil {
			return r
		}
		return standard()
	}
}

// netDrivers runs test with a runtime on each driver that also serves, as the
// default one, the plain operations of goroutines. Besides what eachDriver
// checks, no descriptor may be left over.
func netDrivers(t *testing.T, test func(t *testing.T, r *Runtime)) {
	// Goroutines that a test leaves behind may come back to the real one.
	begin(Default())
	// Package net opens descriptors of its own when it is first used.
	must(net.Listen("tcp", "127.0.0.1:0"))(t).Close()
	eachDriver(t, func(t *testing.T, r *Runtime) {
		before := openDescriptors(t)
		standIn.Store(r)
		defer standIn.Store(nil)
		test(t, r)
		if t.Failed() {
			return
		}
		waitFor(t, func() bool { return openDescriptors(t) <= before })
	})
}

// openDescriptors counts the descriptors of the process.
func openDescriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// connPair returns the two ends of a connection.
func connPair(t testing.TB) (client, server *Conn) {
	t.Helper()
	client, server, err := newConnPair()
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

func newConnPair() (client, server *Conn, err error) { return newConnPairOn("tcp") }

// lastName numbers abstract names of UNIX sockets.
var lastName atomic.Int64

// anyAddress is one to listen at.
func anyAddress(network string) string {
	if strings.HasPrefix(network, "unix") {
		return fmt.Sprintf("@cogen-test-%d-%d", os.Getpid(), lastName.Add(1))
	}
	return "127.0.0.1:0"
}

func newConnPairOn(network string) (client, server *Conn, err error) {
	l, err := Listen(network, anyAddress(network))
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	client, err = Dial(network, l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	server, err = l.AcceptConn()
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	return client, server, nil
}

// inTask calls f in a task of the default runtime, where waiting is in plain
// form, and waits for it.
func inTask(f func()) { Run(plainly(f)) }

// asyncConn is a Conn whose operations each run as a task, in async form: for
// what expects a net.Conn and is to exercise that form.
type asyncConn struct{ *Conn }

func (c asyncConn) Read(b []byte) (int, error) {
	f := c.ReadAsync(b)
	return Run(f).Result()
}

func (c asyncConn) Write(b []byte) (int, error) {
	f := c.WriteAsync(b)
	return Run(f).Result()
}

func (c asyncConn) Close() error {
	f := c.CloseAsync()
	return Run(f).Result()
}

// borrowingConn is a Conn that reads by borrowing, in tasks.
type borrowingConn struct {
	*Conn
	mu   sync.Mutex
	rest []byte
	loan Loan
}

func (c *borrowingConn) Read(b []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rest) == 0 {
		if len(b) == 0 {
			return c.Conn.Read(b)
		}
		f := c.BorrowAsync()
		if c.loan, err = Run(f).Result(); err != nil {
			return 0, err
		}
		c.rest = c.loan.Bytes()
	}
	n = copy(b, c.rest)
	if c.rest = c.rest[n:]; len(c.rest) == 0 {
		c.loan.Return()
	}
	return n, nil
}

// nestedConn is a Conn whose operations each run in plain form in a task.
type nestedConn struct{ *Conn }

func (c nestedConn) Read(b []byte) (n int, err error) {
	inTask(func() { n, err = c.Conn.Read(b) })
	return n, err
}

func (c nestedConn) Write(b []byte) (n int, err error) {
	inTask(func() { n, err = c.Conn.Write(b) })
	return n, err
}

func (c nestedConn) Close() (err error) {
	inTask(func() { err = c.Conn.Close() })
	return err
}

var (
	_ net.Conn = asyncConn{}
	_ net.Conn = nestedConn{}
)
