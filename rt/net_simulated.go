//go:build linux && !cogen_portable

package rt

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/internal/sim"
)

// The system calls on sockets that do not move data. Those on simulated sockets
// (package rttest) go to the world that has them, and are told by the descriptor.

func isSimulated(fd int32) bool { return fd >= sim.FirstFD }

// openSocket is socket(2), in the world that the calling code is part of.
func openSocket(family, typ int) (fd int32, err error) {
	if sim.Active.Load() != nil {
		if w := worldHere(); w != nil {
			fd, errno := w.Sockets().Socket(family, typ)
			return fd, orError(errno)
		}
	}
	n, err := unix.Socket(family, typ|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	return int32(n), err
}

// orError makes an error of a number that may be 0.
func orError(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// bind gives the socket its local address.
func bind(fd int32, a *rawAddr) error {
	if isSimulated(fd) {
		return orError(sim.Of(fd).Bind(fd, a.b[:a.n]))
	}
	return bindName(fd, a)
}

func listenOn(fd int32, backlog int) error {
	if isSimulated(fd) {
		return orError(sim.Of(fd).Listen(fd, backlog))
	}
	return unix.Listen(int(fd), backlog)
}

func shutdownSocket(fd int32, how int) error {
	if isSimulated(fd) {
		return orError(sim.Of(fd).Shutdown(fd, how))
	}
	return unix.Shutdown(int(fd), how)
}

// closeSocket closes a descriptor with a system call. Linux releases it even when it
// reports EINTR, so that is no failure.
func closeSocket(fd int32) error {
	if isSimulated(fd) {
		return orError(sim.Of(fd).Close(fd))
	}
	if err := unix.Close(int(fd)); err != nil && err != unix.EINTR {
		return err
	}
	return nil
}

// setSocketOption sets an option that is an integer. Simulated sockets have all
// options, and none has an effect.
func setSocketOption(fd int32, level, name, value int) error {
	if isSimulated(fd) {
		return nil
	}
	return unix.SetsockoptInt(int(fd), level, name, value)
}

// localName asks for the address of this end. The result is empty if the kernel
// does not tell.
func localName(fd int32) (a rawAddr) {
	if isSimulated(fd) {
		a.n = uint8(sim.Of(fd).LocalName(fd, a.b[:]))
		return a
	}
	return sockName(fd)
}

// peerOf asks for the address of the other end of a socket of network n, whose
// addresses have size bytes.
func peerOf(n network, fd int32, size uint8) *rawAddr {
	var a rawAddr
	switch {
	case isSimulated(fd):
		a.n = uint8(sim.Of(fd).PeerName(fd, a.b[:]))
	case n.local():
		a = peerUnixName(fd)
	default:
		a = peerName(fd, size)
	}
	return &a
}
