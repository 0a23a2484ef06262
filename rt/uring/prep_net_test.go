//go:build linux

package uring

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// need skips the test where the kernel lacks an operation.
func need(t testing.TB, r *Ring, ops ...Opcode) {
	t.Helper()
	for _, op := range ops {
		if !r.Supports(op) {
			t.Skipf("the kernel has no %v", op)
		}
	}
}

// result runs one request, prepared by prep, to its only completion.
func result(t testing.TB, r *Ring, prep func(e *SQE)) int32 {
	t.Helper()
	prep(r.SQE())
	c := next(t, r)
	if c.More() {
		t.Fatalf("%+v is not the last", c)
	}
	return c.Res
}

// must is result, which must not be an error.
func must(t testing.TB, r *Ring, prep func(e *SQE)) int32 {
	t.Helper()
	res := result(t, r, prep)
	if res < 0 {
		t.Fatal(unix.Errno(-res))
	}
	return res
}

// loopback is a raw socket address on 127.0.0.1.
func loopback(port int) []byte {
	sa := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
	sa = binary.BigEndian.AppendUint16(sa, uint16(port))
	return append(sa, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
}

// listener returns a listening socket and its port.
func listener(t testing.TB) (fd int32, port int) {
	t.Helper()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(s) })
	if err := unix.Bind(s, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(s, 128); err != nil {
		t.Fatal(err)
	}
	return int32(s), portOf(t, int32(s))
}

func portOf(t testing.TB, fd int32) int {
	t.Helper()
	sa, err := unix.Getsockname(int(fd))
	if err != nil {
		t.Fatal(err)
	}
	return sa.(*unix.SockaddrInet4).Port
}

// dial connects to port with plain system calls.
func dial(t testing.TB, port int) int32 {
	t.Helper()
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(s) })
	if err := unix.Connect(s, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	return int32(s)
}

// TestPrepConnection makes a connection and ends it with operations only.
func TestPrepConnection(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSocket)
	socket := func(e *SQE) { e.PrepSocket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0) }
	server := must(t, r, socket)
	if r.Supports(OpBind) && r.Supports(OpListen) {
		must(t, r, func(e *SQE) { e.PrepBind(server, loopback(0)) })
		must(t, r, func(e *SQE) { e.PrepListen(server, 10) })
	} else {
		unix.Bind(int(server), &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
		unix.Listen(int(server), 10)
	}
	client := must(t, r, socket)
	must(t, r, func(e *SQE) { e.PrepConnect(client, loopback(portOf(t, server))) })
	addr, n := make([]byte, 64), new(uint32)
	*n = uint32(len(addr))
	conn := must(t, r, func(e *SQE) { e.PrepAcceptAddr(server, addr, n, unix.SOCK_CLOEXEC) })
	if want := loopback(portOf(t, client)); string(addr[:*n]) != string(want) {
		t.Errorf("the peer's address is %v, want %v", addr[:*n], want)
	}

	out := iovecs([]byte("in "), []byte("two pieces"))
	msg := &unix.Msghdr{Iov: &out[0]}
	msg.SetIovlen(len(out))
	if n := must(t, r, func(e *SQE) { e.PrepSendmsg(client, msg, unix.MSG_NOSIGNAL) }); n != 13 {
		t.Errorf("sent %d", n)
	}
	a, b := make([]byte, 5), make([]byte, 50)
	in := iovecs(a, b)
	msg = &unix.Msghdr{Iov: &in[0]}
	msg.SetIovlen(len(in))
	if n := must(t, r, func(e *SQE) { e.PrepRecvmsg(conn, msg, 0) }); n != 13 || string(a)+string(b[:8]) != "in two pieces" {
		t.Errorf("received %d, %q, %q", n, a, b)
	}
	must(t, r, func(e *SQE) { e.PrepShutdown(client, unix.SHUT_WR) })
	if n := must(t, r, func(e *SQE) { e.PrepRecv(conn, a, 0) }); n != 0 {
		t.Errorf("after the end of the stream %d bytes", n)
	}
	for _, fd := range []int32{conn, client, server} {
		must(t, r, func(e *SQE) { e.PrepClose(fd) })
	}
	if err := unix.Close(int(server)); err != unix.EBADF {
		t.Errorf("close of a closed descriptor: %v", err)
	}
}

func TestAcceptMultishot(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSocket) // of the same kernel
	fd, port := listener(t)
	arm := func() {
		r.SQE().PrepAcceptMultishot(fd, unix.SOCK_CLOEXEC)
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	arm()
	for range 5 {
		dial(t, port)
		c := next(t, r)
		if c.Err() != nil || !c.More() {
			t.Fatalf("%+v", c)
		}
		unix.Close(int(c.Res))
	}
	if got := must(t, r, func(e *SQE) { e.PrepCancelFD(fd, 0) }); got != 0 {
		t.Errorf("cancel: %d", got)
	}
	if c := next(t, r); c.Err() != unix.ECANCELED || c.More() {
		t.Fatalf("after cancel: %+v", c)
	}

	// It ends early for lack of a descriptor, loses no connection, and goes on when it
	// is submitted again. The limit that counts is that of the time of submission.
	spare, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(spare)
	withoutDescriptors(t, arm)
	if err := unix.Connect(spare, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if c := next(t, r); c.Err() != unix.EMFILE || c.More() {
		t.Fatalf("without a descriptor: %+v", c)
	}
	arm()
	c := next(t, r)
	if c.Err() != nil || !c.More() {
		t.Fatalf("%+v", c)
	}
	unix.Close(int(c.Res))
}

// withoutDescriptors runs f while the process may not open another descriptor.
func withoutDescriptors(t *testing.T, f func()) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// TestSendZeroCopy follows the two completions of a zero-copy send.
func TestSendZeroCopy(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSendZC, OpSendmsgZC)
	fd, port := listener(t)
	client := dial(t, port)
	server := must(t, r, func(e *SQE) { e.PrepAccept(fd, unix.SOCK_CLOEXEC) })
	defer unix.Close(int(server))
	data := make([]byte, 30_000)
	iov := iovecs(data)
	msg := &unix.Msghdr{Iov: &iov[0]}
	msg.SetIovlen(1)
	for i := range 20 {
		for j := range data {
			data[j] = byte(i + j)
		}
		e := r.SQE()
		if i%2 == 0 {
			e.PrepSendZC(server, data, unix.MSG_NOSIGNAL|unix.MSG_WAITALL, SendZCReportUsage)
		} else {
			e.PrepSendmsgZC(server, msg, unix.MSG_NOSIGNAL|unix.MSG_WAITALL, SendZCReportUsage)
		}
		c := next(t, r)
		if c.Res != int32(len(data)) || !c.More() || c.Notification() {
			t.Fatalf("%+v", c)
		}
		got := make([]byte, len(data))
		for n := 0; n < len(got); {
			m, err := unix.Read(int(client), got[n:])
			if err != nil || m == 0 {
				t.Fatal(m, err)
			}
			n += m
		}
		// Only now may data change.
		c = next(t, r)
		if !c.Notification() || c.More() || c.Err() != nil {
			t.Fatalf("%+v", c)
		}
		if i == 0 {
			t.Logf("copied after all: %v", c.Res&NotifCopied != 0)
		}
		if string(got) != string(data) {
			t.Fatal("the data differs")
		}
	}
	// One that fails may have a notification as well.
	r.SQE().PrepSendZC(-1, data, 0, 0)
	c := next(t, r)
	if c.Err() != unix.EBADF {
		t.Fatalf("bad descriptor: %+v", c)
	}
	if c.More() {
		if c := next(t, r); !c.Notification() {
			t.Fatalf("%+v", c)
		}
	}
}

func TestSendTo(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSendZC)
	server, to := udpSocket(t)
	client, _ := udpSocket(t)
	for i, zc := range []bool{false, true} {
		text := fmt.Sprintf("datagram %d", i)
		e := r.SQE()
		if zc {
			e.PrepSendZC(client, []byte(text), 0, 0)
		} else {
			e.PrepSend(client, []byte(text), 0)
		}
		e.SetAddr(loopback(to.Port))
		c := next(t, r)
		if c.Err() == unix.EINVAL && !zc {
			continue // before Linux 6.1
		}
		if c.Res != int32(len(text)) {
			t.Fatalf("%+v", c)
		}
		if c.More() {
			if c := next(t, r); !c.Notification() {
				t.Fatalf("%+v", c)
			}
		}
		buf := make([]byte, 64)
		n := must(t, r, func(e *SQE) { e.PrepRecv(server, buf, 0) })
		if string(buf[:n]) != text {
			t.Errorf("%q", buf[:n])
		}
	}
}

// TestPollUpdate changes, removes and renews polls.
func TestPollUpdate(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	a, b := socketpair(t)
	e := r.SQE()
	e.PrepPollAdd(a, unix.POLLIN, 0)
	e.UserData = 1
	e = r.SQE()
	e.PrepPollUpdate(1, 2, 0, PollUpdateUserData)
	e.UserData = 3
	if c := next(t, r); c.UserData != 3 || c.Res != 0 {
		t.Fatalf("%+v", c)
	}
	unix.Write(int(b), []byte("x"))
	if c := next(t, r); c.UserData != 2 || c.Res != unix.POLLIN {
		t.Fatalf("%+v", c)
	}
	e = r.SQE()
	e.PrepPollAdd(a, unix.POLLPRI, 0)
	e.UserData = 4
	e = r.SQE()
	e.PrepPollUpdate(4, 0, unix.POLLOUT, PollUpdateEvents)
	e.UserData = 5
	seen := map[uint64]int32{}
	for range 2 {
		c := next(t, r)
		seen[c.UserData] = c.Res
	}
	if seen[4] != unix.POLLOUT || seen[5] < 0 {
		t.Errorf("after the update: %v", seen)
	}
	e = r.SQE()
	e.PrepPollAdd(a, unix.POLLPRI, PollAddMulti)
	e.UserData = 6
	e = r.SQE()
	e.PrepPollRemove(6)
	e.UserData = 7
	for range 2 {
		c := next(t, r)
		seen[c.UserData] = c.Res
	}
	if seen[6] != -int32(unix.ECANCELED) || seen[7] != 0 {
		t.Errorf("after the removal: %v", seen)
	}
	if res := result(t, r, func(e *SQE) { e.PrepPollRemove(6) }); res != -int32(unix.ENOENT) {
		t.Errorf("removal of nothing: %d", res)
	}
}

// TestMultishotEndsByOverflow makes a multishot poll complete more often than the
// completion queue has room. Whether the kernel keeps the rest or ends the poll, no
// event is lost for who submits it again.
func TestMultishotEndsByOverflow(t *testing.T) {
	lock(t)
	r := openRing(t, Config{SQEntries: 2, CQEntries: 2})
	a, b := socketpair(t)
	arm := func() {
		r.SQE().PrepPollAdd(a, unix.POLLIN, PollAddMulti)
		if err := r.Submit(); err != nil {
			t.Fatal(err)
		}
	}
	arm()
	for range 20 {
		unix.Write(int(b), []byte("x"))
	}
	ended := 0
	for got := 0; got < 20; {
		c := next(t, r)
		if c.Err() != nil {
			t.Fatalf("%+v", c)
		}
		buf := make([]byte, 20)
		if n, err := unix.Read(int(a), buf); err == nil {
			got += n
		}
		if !c.More() {
			ended++
			arm()
		}
	}
	t.Logf("ended %d times", ended)
}

func TestCancelMany(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSocket) // of the same kernel
	a, _ := socketpair(t)
	b, _ := socketpair(t)
	start := func() {
		for i, fd := range []int32{a, a, a, b} {
			e := r.SQE()
			e.PrepRecv(fd, make([]byte, 1), 0)
			e.UserData = uint64(10 + i)
		}
		if err := r.Wait(1, time.Millisecond); err != nil || r.Ready() != 0 {
			t.Fatal(err, r.Ready())
		}
	}
	check := func(what string, want int32, n int, prep func(e *SQE)) {
		t.Helper()
		e := r.SQE()
		prep(e)
		e.UserData = 1
		cancelled := 0
		for range n + 1 {
			c := next(t, r)
			switch {
			case c.UserData == 1 && c.Res != want:
				t.Errorf("%s: result %d, want %d", what, c.Res, want)
			case c.UserData != 1 && c.Err() != unix.ECANCELED:
				t.Errorf("%s: %+v", what, c)
			case c.UserData != 1:
				cancelled++
			}
		}
		if cancelled != n || r.Ready() != 0 {
			t.Errorf("%s: %d cancelled, want %d", what, cancelled, n)
		}
	}
	start()
	check("all on a descriptor", 3, 3, func(e *SQE) { e.PrepCancelFD(a, CancelAll) })
	check("the first on a descriptor", 0, 1, func(e *SQE) { e.PrepCancelFD(b, 0) })
	start()
	check("any", 4, 4, func(e *SQE) { e.PrepCancelAny() })
	check("none", -int32(unix.ENOENT), 0, func(e *SQE) { e.PrepCancelFD(a, 0) })
	if res := result(t, r, func(e *SQE) { e.PrepCancelOp(OpRecv, 0) }); res == -int32(unix.EINVAL) {
		t.Skip("no cancellation by operation before Linux 6.6")
	}
	start()
	check("by operation", 4, 4, func(e *SQE) { e.PrepCancelOp(OpRecv, CancelAll) })
}
