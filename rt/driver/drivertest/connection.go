//go:build linux

package drivertest

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// listener returns a listening TCP socket and its address.
func (r *rig) listener(backlog int) (driver.FD, *unix.SockaddrInet4) {
	r.Helper()
	l, addr := r.listenTCP(backlog)
	return r.adopt(l), addr
}

// dial starts to connect a new TCP socket, with plain calls.
func (r *rig) dial(addr *unix.SockaddrInet4) driver.FD {
	r.Helper()
	fd := r.adopt(r.tcpSocket())
	if err := unix.Connect(int(fd.Sysfd), addr); err != unix.EINPROGRESS {
		r.check("connect", err)
	}
	return fd
}

// accepted waits until the Accept o has ended, and returns the connection.
func (r *rig) accepted(o *op) driver.FD {
	r.Helper()
	if r.end(o) < 0 {
		r.Fatalf("%s, want a connection", o)
	}
	return r.adopt(int(o.Res))
}

// accepting submits an Accept.
func (r *rig) accepting(l driver.FD) *op {
	r.Helper()
	o := r.op(driver.Accept, l, nil)
	r.submit(o)
	return o
}

// connecting submits a Connect of a new TCP socket.
func (r *rig) connecting(addr *unix.SockaddrInet4) *op {
	r.Helper()
	o := r.op(driver.Connect, r.adopt(r.tcpSocket()), raw(addr))
	r.submit(o)
	return o
}

// talk checks that bytes pass between a and b both ways.
func (r *rig) talk(a, b driver.FD) {
	r.Helper()
	for range 2 {
		o := r.pending(r.recv(b, 16))
		r.want(r.sent(a, "hello"), 5)
		r.wantBytes(o, "hello")
		a, b = b, a
	}
}

func testAccept(r *rig) {
	l, addr := r.listener(16)
	for i := range 6 {
		var o *op
		if i%2 == 0 {
			o = r.pending(r.op(driver.Accept, l, nil))
		}
		client := r.dial(addr)
		if o == nil {
			r.ready(int(l.Sysfd), unix.POLLIN)
			o = r.accepting(l)
		}
		server := r.accepted(o)
		flags, err := unix.FcntlInt(uintptr(server.Sysfd), unix.F_GETFL, 0)
		r.check("fcntl", err)
		if flags&unix.O_NONBLOCK == 0 {
			r.Errorf("the accepted descriptor is not non-blocking")
		}
		flags, err = unix.FcntlInt(uintptr(server.Sysfd), unix.F_GETFD, 0)
		r.check("fcntl", err)
		if flags&unix.FD_CLOEXEC == 0 {
			r.Errorf("the accepted descriptor is not close-on-exec")
		}
		r.talk(client, server)
	}
}

func testAcceptSeveral(r *rig) {
	const count = 50
	l, addr := r.listener(128)
	var ops []*op
	for range count / 2 {
		ops = append(ops, r.pending(r.op(driver.Accept, l, nil)))
	}
	for range count {
		r.dial(addr)
	}
	for range count / 2 {
		ops = append(ops, r.accepting(l))
	}
	seen := map[int32]bool{}
	for _, o := range ops {
		r.accepted(o)
		seen[o.Res] = true
	}
	if len(seen) != count {
		r.Errorf("%d accepts returned %d different descriptors", count, len(seen))
	}
	r.pending(r.op(driver.Accept, l, nil))
}

// testAcceptNoDescriptors accepts when the process may have no more
// descriptors. That is a result, and the connection is there when it may.
func testAcceptNoDescriptors(r *rig) {
	l, addr := r.listener(16)
	client := r.dial(addr)
	r.ready(int(l.Sysfd), unix.POLLIN)
	func() {
		var limit unix.Rlimit
		r.check("getrlimit", unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
		none := limit
		none.Cur = 0
		r.check("setrlimit", unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
		defer func() { r.check("setrlimit", unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)) }()
		r.want(r.accepting(l), errno(unix.EMFILE))
	}()
	r.talk(client, r.accepted(r.accepting(l)))
}

func testAcceptShutdown(r *rig) {
	l, _ := r.listener(16)
	o := r.pending(r.op(driver.Accept, l, nil))
	r.check("shutdown", unix.Shutdown(int(l.Sysfd), unix.SHUT_RDWR))
	r.want(o, errno(unix.EINVAL))
}

func testConnect(r *rig) {
	l, addr := r.listener(128)
	var ops []*op
	for range 20 {
		ops = append(ops, r.connecting(addr))
	}
	for _, o := range ops {
		r.want(o, 0)
	}
	for range ops {
		server := r.accepted(r.accepting(l))
		peer, err := unix.Getpeername(int(server.Sysfd))
		r.check("getpeername", err)
		for _, o := range ops {
			name, err := unix.Getsockname(int(o.FD.Sysfd))
			r.check("getsockname", err)
			if name.(*unix.SockaddrInet4).Port == peer.(*unix.SockaddrInet4).Port {
				r.talk(o.FD, server)
			}
		}
	}
}

func testConnectRefused(r *rig) {
	l, addr := r.listener(1)
	r.shut(l)
	for range 5 {
		r.want(r.connecting(addr), errno(unix.ECONNREFUSED))
	}
}

func testConnectNoPath(r *rig) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.check("socket", err)
	o := r.op(driver.Connect, r.adopt(fd), rawPath(r.TempDir()+"/none"))
	r.submit(o)
	r.want(o, errno(unix.ENOENT))
}

// unanswered returns a Connect that stays in flight, for the listener is full.
func (r *rig) unanswered(addr *unix.SockaddrInet4) *op {
	r.Helper()
	for range 16 {
		o := r.connecting(addr)
		// Over the loopback interface a connection is there at once, or not at all.
		r.linger(o)
		if o.inFlight {
			return o
		}
		r.want(o, 0)
	}
	r.Fatalf("the listener is never full")
	return nil
}

// linger gives o some time to end by itself.
func (r *rig) linger(o *op) {
	r.Helper()
	for end := time.Now().Add(50 * time.Millisecond); o.inFlight && time.Now().Before(end); {
		r.wait(10 * time.Millisecond)
	}
}

// testBadDescriptor submits operations on numbers that are no descriptors, and
// on descriptors that are no sockets.
func testBadDescriptor(r *rig) {
	for _, code := range []driver.Code{driver.Recv, driver.Send, driver.Accept, driver.Connect, driver.Close} {
		for _, number := range []int32{-1, 1 << 30} {
			buf := raw(&unix.SockaddrInet4{})
			r.fails(code, driver.FD{ID: 1 << 40, Sysfd: number}, buf, unix.EBADF)
		}
	}
	p := make([]int, 2)
	r.check("pipe", unix.Pipe2(p, unix.O_NONBLOCK|unix.O_CLOEXEC))
	in, out := r.adopt(p[0]), r.adopt(p[1])
	r.fails(driver.Recv, in, make([]byte, 1), unix.ENOTSOCK)
	r.fails(driver.Send, out, make([]byte, 1), unix.ENOTSOCK)
	r.fails(driver.Accept, in, nil, unix.ENOTSOCK)
}

// fails submits an operation and checks that it ends with the error e.
func (r *rig) fails(code driver.Code, fd driver.FD, buf []byte, e unix.Errno) {
	r.Helper()
	o := r.op(code, fd, buf)
	r.submit(o)
	r.want(o, errno(e))
}
