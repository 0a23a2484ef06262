//go:build linux && !cogen_portable

package rt

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// rawConn gives access to the descriptor, for options that have no method here.
// Its Read and Write wait off the worker, with poll(2): drivers have no
// operation that only waits for readiness. They serve, but are not fast.
type rawConn struct {
	fd *netFD
}

// rawSlice is how long a wait for readiness lasts before closing and deadlines
// are looked at again. It bounds how late they are noticed.
const rawSlice = 50 * time.Millisecond

// SyscallConn returns the raw connection; see [syscall.RawConn]. Its descriptor
// must not be closed, nor be made blocking.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if !c.ok() {
		return nil, syscall.EINVAL
	}
	return rawConn{&c.fd}, nil
}

// SyscallConn returns the raw listener; see [Conn.SyscallConn].
func (l *Listener) SyscallConn() (syscall.RawConn, error) {
	if !l.ok() {
		return nil, syscall.EINVAL
	}
	return rawConn{&l.fd}, nil
}

// Control calls f with the descriptor, which stays open meanwhile.
func (r rawConn) Control(f func(fd uintptr)) error {
	if err := r.fd.acquire(); err != nil {
		return r.fd.opError("raw-control", err)
	}
	defer r.fd.drop()
	f(uintptr(r.fd.sys.Sysfd))
	return nil
}

// Read calls f until it returns true, each time the descriptor may be readable.
func (r rawConn) Read(f func(fd uintptr) bool) error {
	return r.until(f, "raw-read", &r.fd.rd, unix.POLLIN)
}

// Write calls f until it returns true, each time the descriptor may be writable.
func (r rawConn) Write(f func(fd uintptr) bool) error {
	return r.until(f, "raw-write", &r.fd.wr, unix.POLLOUT)
}

func (r rawConn) until(f func(fd uintptr) bool, op string, s *side, events int16) error {
	d := r.fd
	if err := d.acquire(); err != nil {
		return d.opError(op, err)
	}
	defer d.drop()
	for {
		if err := d.usable(s); err != nil {
			return d.opError(op, err)
		}
		if f(uintptr(d.sys.Sysfd)) {
			return nil
		}
		if err := d.waitReady(s, events); err != nil {
			return d.opError(op, err)
		}
	}
}

// waitReady waits until one of events has happened on the descriptor. The
// caller has a reference to it.
func (d *netFD) waitReady(s *side, events int16) error {
	for {
		fds := []unix.PollFd{{Fd: d.sys.Sysfd, Events: events}}
		var err error
		Blocking(func() { _, err = unix.Poll(fds, int(rawSlice.Milliseconds())) })
		if err != nil && err != unix.EINTR {
			return os.NewSyscallError("poll", err)
		}
		if err := d.usable(s); err != nil {
			return err
		}
		if fds[0].Revents != 0 {
			return nil
		}
	}
}
