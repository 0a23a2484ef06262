//go:build linux

package epoll

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// try makes op's system call. It returns true if the operation has ended, with
// op.Res set, and false if it has to wait for an edge, with op.State set.
// e is the descriptor's entry if it is in the set, else nil.
func (d *Driver) try(op *driver.Op, e *desc) bool {
	var n int
	var errno unix.Errno
	for {
		d.count.Syscalls++
		switch op.Code {
		case driver.Recv:
			n, errno = recv(op.FD.Sysfd, op.Buf)
			if errno == 0 && e != nil {
				e.drained(n, len(op.Buf))
			}
		case driver.Send:
			n, errno = send(op.FD.Sysfd, op.Buf)
		case driver.Accept:
			n, errno = d.accept(op.FD.Sysfd, e)
		case driver.Connect:
			return d.connect(op)
		case driver.Read:
			n, errno = readStream(op.FD.Sysfd, op.Buf)
		case driver.Write:
			n, errno = writeStream(op.FD.Sysfd, op.Buf)
		case driver.RecvMsg:
			n, errno = recvmsg(op.FD.Sysfd, op.Raw())
			if errno == 0 {
				op.Msg.Received()
			}
		case driver.SendMsg:
			n, errno = sendmsg(op.FD.Sysfd, op.Raw())
		case driver.Readable:
			errno = ready(op.FD.Sysfd, unix.POLLIN)
		case driver.Writable:
			errno = ready(op.FD.Sysfd, unix.POLLOUT)
		default:
			n, errno = 0, unix.EINVAL
		}
		if errno != unix.EINTR {
			break
		}
	}
	switch errno {
	case 0:
		op.Res = int32(n) // a call moves less than 2 GiB
	case unix.EAGAIN:
		op.State = waiting
		return false
	default:
		op.Res = -int32(errno)
	}
	op.State = idle
	return true
}

// lend receives what there is into a buffer of the driver's.
func (d *Driver) lend(op *driver.Op, e *desc) {
	if e != nil && (e.flags&inBlocked != 0 || e.in.head != nil) {
		op.Res = -int32(unix.EAGAIN) // known, or for those who wait
		return
	}
	room := d.lender.Room()
	n, errno := recv(op.FD.Sysfd, room)
	d.count.Syscalls++
	op.Res = int32(n)
	if errno != 0 {
		op.Res = -int32(errno)
	}
	if op.Res <= 0 {
		if errno == unix.EAGAIN && e != nil && e.flags&watched != 0 {
			e.flags |= inBlocked
		}
		return
	}
	if e != nil {
		e.drained(n, len(room))
	}
	op.Lent = d.lender.Lend(n)
}

// drained marks the direction blocked if a read of n bytes into a buffer of size
// bytes is known to have emptied the socket (E1). For TCP, the kernel stops early
// only because it has run out of bytes, and reports those that arrive later as
// an edge; this saves the call that would only return EAGAIN. The exceptions
// clear the draining flag when their edge is collected: urgent data, at whose
// mark a read stops, and the end of the stream or an error, which may have been
// reported together with the last bytes and would not be reported again.
func (e *desc) drained(n, size int) {
	if n > 0 && n < size && e.flags&draining != 0 {
		e.flags |= inBlocked
	}
}

// accept takes a connection. Errors of the process or of the connection (EMFILE,
// ENFILE, ECONNABORTED) are results like others: what to do is for the caller.
func (d *Driver) accept(fd int32, e *desc) (int, unix.Errno) {
	if e == nil || e.flags&unblocked == 0 {
		if errno := d.unblock(fd); errno != 0 {
			return 0, errno
		}
		if e != nil {
			e.flags |= unblocked
		}
	}
	return accept(fd)
}

// connect starts to connect, or looks at what has become of it.
func (d *Driver) connect(op *driver.Op) bool {
	fd := op.FD.Sysfd
	if op.State != connecting {
		errno := d.unblock(fd)
		if errno == 0 {
			errno = connect(fd, op.Buf)
		}
		if errno == unix.EINPROGRESS {
			op.State = connecting
			return false
		}
		// EAGAIN is final here: a UNIX listener's backlog is full, and no
		// edge tells when it has room.
		return connected(op, errno)
	}
	v, errno := sockopt(fd, unix.SO_ERROR)
	if errno != 0 {
		return connected(op, errno)
	}
	if v != 0 {
		return connected(op, unix.Errno(v))
	}
	// No error means connected, or that the edge was about something older.
	d.count.Syscalls++
	if hasPeer(fd) {
		return connected(op, 0)
	}
	return false
}

func connected(op *driver.Op, errno unix.Errno) bool {
	op.Res = -int32(errno)
	op.State = idle
	return true
}

// unblock makes fd non-blocking, for the calls that have no flag for it. The
// descriptors of package rt are so already.
func (d *Driver) unblock(fd int32) unix.Errno {
	d.count.Syscalls++
	mode, errno := fcntl(fd, unix.F_GETFL, 0)
	if errno == 0 && mode&unix.O_NONBLOCK == 0 {
		d.count.Syscalls++
		_, errno = fcntl(fd, unix.F_SETFL, mode|unix.O_NONBLOCK)
	}
	return errno
}

// close closes op's descriptor.
func (d *Driver) close(op *driver.Op) {
	d.count.Syscalls++
	errno := closeFD(op.FD.Sysfd)
	if errno == unix.EINTR {
		errno = 0 // on Linux the descriptor is gone all the same
	}
	op.Res = -int32(errno)
}

// side returns the queue that an operation waits in, and the flag that says
// that nothing is to be had there.
func (e *desc) side(code driver.Code) (*queue, flags) {
	switch code {
	case driver.Send, driver.SendMsg, driver.Connect, driver.Writable, driver.Write:
		return &e.out, outBlocked
	}
	return &e.in, inBlocked
}

// A Caller makes the system calls of operations, for a driver that waits for
// descriptors in its own way.
type Caller struct{ d Driver }

// Try makes op's system call, which does not block. It returns true if the
// operation has ended, with op.Res set and op.State 0, and false if it has to be tried
// again when the descriptor is ready; op.State is not to be changed until then.
func (c *Caller) Try(op *driver.Op) bool {
	switch op.Code {
	case driver.RecvLent:
		c.d.lend(op, nil)
		return true
	case driver.RecvMany, driver.AcceptMany:
		op.Res = -int32(unix.EOPNOTSUPP)
		return true
	}
	return c.d.try(op, nil)
}
