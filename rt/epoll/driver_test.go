//go:build linux

package epoll

import (
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// tally is an owner that counts.
type tally struct{ ended int }

func (c *tally) Complete(*driver.Op) { c.ended++ }

var lastID uint64

func fd(sysfd int) driver.FD {
	lastID++
	return driver.FD{ID: lastID, Sysfd: int32(sysfd)}
}

// start opens a driver for the test's thread.
func start(t testing.TB) *Driver {
	t.Helper()
	runtime.LockOSThread()
	d := open(t, Config{})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func sockets(t testing.TB) (a, b driver.FD) {
	t.Helper()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Close(p[0])
		unix.Close(p[1])
	})
	return fd(p[0]), fd(p[1])
}

func tcpSocket(t testing.TB, flags int) driver.FD {
	t.Helper()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(s) })
	return fd(s)
}

// address returns the address that l listens on, for the loopback interface.
func address(t testing.TB, l driver.FD) []byte {
	t.Helper()
	sa, err := unix.Getsockname(int(l.Sysfd))
	if err != nil {
		t.Fatal(err)
	}
	addr := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
	addr = binary.BigEndian.AppendUint16(addr, uint16(sa.(*unix.SockaddrInet4).Port))
	return append(addr, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
}

// tcp returns connected TCP sockets, made by the driver. The flags are for the
// sockets that are not accepted.
func tcp(t testing.TB, d *Driver, flags int) (a, b driver.FD) {
	t.Helper()
	l := tcpSocket(t, flags)
	a = tcpSocket(t, flags)
	if err := unix.Listen(int(l.Sysfd), 1); err != nil {
		t.Fatal(err)
	}
	owner := new(tally)
	accept := &driver.Op{Code: driver.Accept, FD: l, Owner: owner}
	if d.Submit(accept) {
		t.Fatalf("accept ended with %d", accept.Res)
	}
	connect := &driver.Op{Code: driver.Connect, FD: a, Buf: address(t, l), Owner: owner}
	if d.Submit(connect) {
		owner.ended++
	}
	for owner.ended < 2 {
		d.Wait(-1)
	}
	if connect.Res != 0 || accept.Res < 0 {
		t.Fatalf("connect ended with %d, accept with %d", connect.Res, accept.Res)
	}
	s := int(accept.Res)
	t.Cleanup(func() { unix.Close(s) })
	return a, fd(s)
}

func write(t testing.TB, to driver.FD, data string) {
	t.Helper()
	if _, err := unix.Write(int(to.Sysfd), []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// wait submits op, which must not end before something is done.
func wait(t testing.TB, d *Driver, op *driver.Op) {
	t.Helper()
	if d.Submit(op) {
		t.Fatalf("ended at once with %d", op.Res)
	}
}

// TestEdgesAreRemembered collects an edge while nobody waits (E1).
func TestEdgesAreRemembered(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, b := tcp(t, d, unix.SOCK_NONBLOCK)
	c, _ := sockets(t)
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: owner}
	other := &driver.Op{Code: driver.Recv, FD: c, Buf: make([]byte, 8), Owner: owner}
	wait(t, d, other) // so that Poll looks at the set
	wait(t, d, op)
	d.Cancel(op)
	d.Poll()
	write(t, b, "x")
	d.Poll()
	if !d.Submit(op) || op.Res != 1 {
		t.Errorf("a read does not end at once, although its edge has come: %d", op.Res)
	}
}

// TestStaleEvents delivers an event of an earlier generation (E2).
func TestStaleEvents(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, _ := sockets(t)
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: owner}
	wait(t, d, op)
	e := d.table.at(a.Sysfd)
	before := d.count.Syscalls
	d.events[0] = unix.EpollEvent{Events: unix.EPOLLIN, Fd: a.Sysfd, Pad: int32(e.gen - 1)}
	d.events[1] = unix.EpollEvent{Events: unix.EPOLLIN, Fd: 1 << 20, Pad: 1}
	d.collect(2)
	if d.count.Syscalls != before || e.flags&inBlocked == 0 {
		t.Errorf("an event of another opening has had an effect")
	}
	d.events[0].Pad = int32(e.gen)
	d.collect(1)
	if d.count.Syscalls != before+1 {
		t.Errorf("an event made %d calls, want 1", d.count.Syscalls-before)
	}
}

// TestSystemCalls counts the calls of a request and its reply on a TCP
// connection: the one that would only return EAGAIN is not among them.
func TestSystemCalls(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, b := tcp(t, d, unix.SOCK_NONBLOCK)
	in := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 64), Owner: owner}
	out := &driver.Op{Code: driver.Send, FD: a, Buf: []byte("reply"), Owner: owner}
	round := func() {
		wait(t, d, in)
		write(t, b, "request")
		if d.Poll() != 1 || in.Res != 7 {
			t.Fatalf("a read has not ended: %d", in.Res)
		}
		if !d.Submit(out) {
			t.Fatal("a write has not ended at once")
		}
	}
	round()
	before := d.count.Syscalls
	for range 10 {
		round()
	}
	if n := d.count.Syscalls - before; n != 30 {
		t.Errorf("10 requests took %d calls, want 30: epoll_pwait, recvfrom, sendto", n)
	}
}

func TestNothingInFlightNeedsNoCall(t *testing.T) {
	d := start(t)
	before := d.count.Syscalls
	for range 10 {
		d.Poll()
	}
	if n := d.count.Syscalls - before; n != 0 {
		t.Errorf("%d calls with nothing in flight", n)
	}
}

// TestCloseEndsWhatWaits closes a descriptor whose operations the caller has not
// cancelled.
func TestCloseEndsWhatWaits(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, b := sockets(t)
	c, err := unix.FcntlInt(uintptr(a.Sysfd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	again := fd(c)
	ops := make([]driver.Op, 3)
	for i := range ops {
		ops[i] = driver.Op{Code: driver.Recv, FD: again, Buf: make([]byte, 8), Owner: owner}
		wait(t, d, &ops[i])
	}
	if !d.Submit(&driver.Op{Code: driver.Close, FD: again}) {
		t.Fatal("a close has not ended at once")
	}
	if n := d.Poll(); n != len(ops) {
		t.Errorf("%d operations ended, want %d", n, len(ops))
	}
	for i := range ops {
		if ops[i].Res != -int32(unix.ECANCELED) {
			t.Errorf("operation %d ended with %d", i, ops[i].Res)
		}
	}
	// The file lives on under its other number, and so does its registration.
	write(t, b, "x")
	wait(t, d, &driver.Op{Code: driver.Recv, FD: b, Buf: make([]byte, 8), Owner: owner})
	if n := d.Poll(); n != 0 || owner.ended != len(ops) {
		t.Errorf("an operation has ended again")
	}
}

// TestNotWatchable waits for a file that the set refuses. The operation ends
// with the set's error, and can be submitted again.
func TestNotWatchable(t *testing.T) {
	d := start(t)
	a, _ := sockets(t)
	set := d.set
	d.set = a.Sysfd // no set at all: EINVAL
	defer func() { d.set = set }()
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: new(tally)}
	for range 2 {
		if !d.Submit(op) || op.Res != -int32(unix.EINVAL) {
			t.Fatalf("ended with %d, want EINVAL", op.Res)
		}
	}
}

// TestConnectEdges reports an edge while a connect is still in progress.
func TestConnectEdges(t *testing.T) {
	d := start(t)
	l := tcpSocket(t, unix.SOCK_NONBLOCK)
	if err := unix.Listen(int(l.Sysfd), 0); err != nil {
		t.Fatal(err)
	}
	var op *driver.Op
	for {
		// The listener's queue takes one or two.
		op = &driver.Op{Code: driver.Connect, FD: tcpSocket(t, unix.SOCK_NONBLOCK), Buf: address(t, l), Owner: new(tally)}
		if d.Submit(op) {
			continue
		}
		if d.Wait(20 * time.Millisecond); op.State == connecting {
			break
		}
	}
	e := d.table.at(op.FD.Sysfd)
	for range 2 {
		d.events[0] = unix.EpollEvent{Events: unix.EPOLLOUT, Fd: e.fd, Pad: int32(e.gen)}
		d.collect(1)
	}
	if d.deliver() != 0 || op.State != connecting {
		t.Errorf("a connect in progress has ended with %d", op.Res)
	}
}

// TestBudget lets one descriptor end no more than its share in one turn, and
// goes on with the rest although no edge comes.
func TestBudget(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, b := sockets(t)
	ops := make([]driver.Op, 3*opsPerTurn)
	for i := range ops {
		ops[i] = driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 1), Owner: owner}
		wait(t, d, &ops[i])
	}
	write(t, b, strings.Repeat("x", len(ops)))
	for turn := 1; turn <= 3; turn++ {
		if n := d.Wait(-1); n != opsPerTurn {
			t.Fatalf("turn %d ended %d operations, want %d", turn, n, opsPerTurn)
		}
	}
	if d.InFlight() != 0 {
		t.Errorf("%d operations in flight", d.InFlight())
	}
}

// TestBlockingDescriptors uses sockets that nobody has made non-blocking.
func TestBlockingDescriptors(t *testing.T) {
	d := start(t)
	owner := new(tally)
	a, b := tcp(t, d, 0)
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: owner}
	wait(t, d, op)
	write(t, b, "bytes")
	if d.Poll() != 1 || op.Res != 5 {
		t.Errorf("a read ended with %d", op.Res)
	}
}

func TestSubmitTwice(t *testing.T) {
	d := start(t)
	a, _ := sockets(t)
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: new(tally)}
	wait(t, d, op)
	defer func() {
		if recover() == nil {
			t.Errorf("an operation in flight could be submitted again")
		}
	}()
	d.Submit(op)
}

// again submits its operation whenever it has ended.
type again struct {
	d     *Driver
	other *driver.Op
}

func (o *again) Complete(op *driver.Op) {
	for o.d.Submit(op) {
		if op.Res < 0 {
			o.d.Submit(o.other)
			return
		}
	}
}

// TestSubmitWhileClosing submits from completions that Close delivers.
func TestSubmitWhileClosing(t *testing.T) {
	runtime.LockOSThread()
	d := open(t, Config{})
	a, b := sockets(t)
	c, err := unix.FcntlInt(uintptr(b.Sysfd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	closing := &driver.Op{Code: driver.Close, FD: fd(c)}
	op := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: &again{d, closing}}
	wait(t, d, op)
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if op.Res != -int32(unix.ECANCELED) || d.InFlight() != 0 {
		t.Errorf("ended with %d, %d in flight", op.Res, d.InFlight())
	}
	if _, err := unix.FcntlInt(uintptr(c), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("a descriptor was not closed")
	}
	if d.Poll() != 0 || d.Wait(time.Hour) != 0 {
		t.Errorf("a closed driver has delivered something")
	}
	d.Wake()
}

func TestNewDriverFails(t *testing.T) {
	if _, err := NewDriver(Config{Events: -1}); err == nil {
		t.Errorf("a negative number of events was accepted")
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	_, err := NewDriver(Config{})
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), "epoll_create1") {
		t.Errorf("without descriptors the error is %v", err)
	}
}

func TestMilliseconds(t *testing.T) {
	for _, c := range []struct {
		d  time.Duration
		ms int32
	}{
		{-1, -1},
		{1, 1},
		{time.Millisecond, 1},
		{time.Millisecond + 1, 2},
		{time.Second, 1000},
		{1<<63 - 1, 1<<31 - 1},
	} {
		if ms := milliseconds(c.d); ms != c.ms {
			t.Errorf("%v is %d ms, want %d", c.d, ms, c.ms)
		}
	}
}
