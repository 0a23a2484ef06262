//go:build linux

package drivertest

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// The sockets of the suite are non-blocking, like those of package rt. Their
// other ends are served by plain system calls, which the functions here make
// and, where need be, wait for.

// check fails the test if a call that only prepares it has failed.
func (r *rig) check(what string, err error) {
	r.Helper()
	if err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}

// descriptors are those that a test has open. A number is closed once and by
// whoever the test says, since it may mean something else soon after.
type descriptors struct {
	lastID uint64
	open   map[int32]bool
}

func (d *descriptors) closeAll() {
	for fd := range d.open {
		unix.Close(int(fd))
	}
	clear(d.open)
}

// adopt gives a descriptor its identity. It is closed after the test, unless
// the test does it before.
func (r *rig) adopt(sysfd int) driver.FD {
	r.fds.lastID++
	r.fds.open[int32(sysfd)] = true
	return driver.FD{ID: r.fds.lastID, Sysfd: int32(sysfd)}
}

// A kind of connected sockets.
type kind struct {
	name string
	make func(r *rig) (a, b int)
}

var streams = []kind{{"unix", (*rig).unixSockets}, {"tcp", (*rig).tcpSockets}}

// eachStream runs f on a pair of each kind of stream.
func (r *rig) eachStream(f func(a, b driver.FD)) {
	r.Helper()
	for _, k := range streams {
		a, b := k.make(r)
		f(r.adopt(a), r.adopt(b))
	}
}

// pair returns the two ends of a stream.
func (r *rig) pair() (a, b driver.FD) {
	r.Helper()
	x, y := r.unixSockets()
	return r.adopt(x), r.adopt(y)
}

func (r *rig) tcpPair() (a, b driver.FD) {
	r.Helper()
	x, y := r.tcpSockets()
	return r.adopt(x), r.adopt(y)
}

func (r *rig) unixSockets() (a, b int) {
	r.Helper()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.check("socketpair", err)
	return p[0], p[1]
}

func (r *rig) tcpSockets() (a, b int) {
	r.Helper()
	l, addr := r.listenTCP(1)
	defer unix.Close(l)
	a = r.tcpSocket()
	if err := unix.Connect(a, addr); err != unix.EINPROGRESS {
		r.check("connect", err)
	}
	r.ready(l, unix.POLLIN)
	b, _, err := unix.Accept4(l, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	r.check("accept", err)
	r.ready(a, unix.POLLOUT)
	for _, fd := range []int{a, b} {
		r.check("setsockopt", unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1))
	}
	return a, b
}

func (r *rig) tcpSocket() int {
	r.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	r.check("socket", err)
	return fd
}

// listenTCP returns a listener on the loopback interface.
func (r *rig) listenTCP(backlog int) (fd int, addr *unix.SockaddrInet4) {
	r.Helper()
	fd = r.tcpSocket()
	r.check("bind", unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	r.check("listen", unix.Listen(fd, backlog))
	sa, err := unix.Getsockname(fd)
	r.check("getsockname", err)
	return fd, sa.(*unix.SockaddrInet4)
}

// raw returns the address as a struct sockaddr_in.
func raw(a *unix.SockaddrInet4) []byte {
	b := make([]byte, 0, unix.SizeofSockaddrInet4)
	b = binary.NativeEndian.AppendUint16(b, unix.AF_INET)
	b = binary.BigEndian.AppendUint16(b, uint16(a.Port))
	b = append(b, a.Addr[:]...)
	return b[:cap(b)]
}

// rawPath returns a path as a struct sockaddr_un.
func rawPath(path string) []byte {
	b := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	return append(append(b, path...), 0)
}

// ready waits with poll(2) until an event is reported for fd.
func (r *rig) ready(fd int, events int16) {
	r.Helper()
	p := []unix.PollFd{{Fd: int32(fd), Events: events}}
	for {
		n, err := unix.Poll(p, int(patience.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		r.check("poll", err)
		if n == 0 {
			r.Fatalf("descriptor %d has not become ready", fd)
		}
		return
	}
}

// write writes all of data with plain system calls.
func (r *rig) write(fd driver.FD, data []byte) {
	r.Helper()
	for len(data) > 0 {
		n, err := unix.Write(int(fd.Sysfd), data)
		if err == unix.EAGAIN {
			r.ready(int(fd.Sysfd), unix.POLLOUT)
			continue
		}
		if err == unix.EINTR {
			continue
		}
		r.check("write", err)
		data = data[n:]
	}
}

// readAvailable returns what a plain read finds, nil if there is nothing.
func (r *rig) readAvailable(fd driver.FD) []byte {
	r.Helper()
	var all []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(int(fd.Sysfd), buf)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			return all
		}
		r.check("read", err)
		if n == 0 {
			return all
		}
		all = append(all, buf[:n]...)
	}
}

// wantEnd reads what there is, with plain calls, and then the end of the stream.
func (r *rig) wantEnd(fd driver.FD) {
	r.Helper()
	buf := make([]byte, 64<<10)
	for {
		switch n, err := unix.Read(int(fd.Sysfd), buf); err {
		case nil:
			if n == 0 {
				return
			}
		case unix.EINTR:
		case unix.EAGAIN:
			r.ready(int(fd.Sysfd), unix.POLLIN)
		default:
			r.Fatalf("read: %v, want the end of the stream", err)
		}
	}
}

// fill writes until the socket takes no more, and returns the number of bytes.
func (r *rig) fill(fd driver.FD) int {
	r.Helper()
	total := 0
	for again := true; again; r.acknowledged(fd) {
		again = false
		for size := 64 << 10; size > 0; size /= 2 {
			buf := make([]byte, size)
			for {
				putPattern(buf, total)
				n, err := unix.Write(int(fd.Sysfd), buf)
				if err == unix.EAGAIN {
					break
				}
				r.check("write", err)
				total += n
				again = true
			}
		}
	}
	return total
}

// acknowledged waits until what a TCP socket has sent is acknowledged, for that
// makes room. It gives up after a time, since a peer may have no room either.
func (r *rig) acknowledged(fd driver.FD) {
	r.Helper()
	for range 100 {
		unsent, err := unix.IoctlGetInt(int(fd.Sysfd), unix.SIOCOUTQNSD)
		if err != nil {
			return // no TCP socket
		}
		queued, err := unix.IoctlGetInt(int(fd.Sysfd), unix.SIOCOUTQ)
		r.check("ioctl", err)
		if queued == unsent {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// reset closes fd so that a TCP peer gets a reset.
func (r *rig) reset(fd driver.FD) {
	r.Helper()
	r.check("setsockopt", unix.SetsockoptLinger(int(fd.Sysfd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}))
	r.shut(fd)
}

// shut closes fd with a plain call; its number is free afterwards.
func (r *rig) shut(fd driver.FD) {
	r.Helper()
	delete(r.fds.open, fd.Sysfd)
	r.check("close", unix.Close(int(fd.Sysfd)))
}
