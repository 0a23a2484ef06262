package rt

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls that connections make themselves. None of them blocks: data
// goes with MSG_DONTWAIT, whether or not the descriptor is non-blocking. Package
// unix has the same calls, but allocates an address on most of them.
//
// All pointers here go straight into a system call as uintptr, in the call's own
// argument list, which keeps what they point to alive and in place until it
// returns (unsafe.Pointer, pattern 4).

// maxTransfer bounds one transfer, as in package net: longer ones would be
// cut by the kernel at a size that is no multiple of a page, and do not fit op.Res.
const maxTransfer = 1 << 30

// transfer limits b to what one operation moves.
func transfer(b []byte) []byte {
	return b[:min(len(b), maxTransfer)]
}

// base is the address for the kernel of b's first byte; it may be nil for an
// empty b, whose address is never followed.
func base(b []byte) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(b))
}

// recvNow receives what is there. It fails with EAGAIN if nothing is.
func recvNow(fd int32, b []byte) (n int, errno syscall.Errno) {
	b = transfer(b)
	for {
		n, _, errno := unix.Syscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(base(b)), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// sendNow sends what fits into the socket's buffer. It fails with EAGAIN if
// nothing does.
func sendNow(fd int32, b []byte) (n int, errno syscall.Errno) {
	b = transfer(b)
	for {
		n, _, errno := unix.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(base(b)), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// bind gives the socket its local address.
func bind(fd int32, a *rawAddr) error {
	_, _, errno := unix.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&a.b)), uintptr(a.n))
	if errno != 0 {
		return errno
	}
	return nil
}

// localName and peerName ask for the addresses of the socket's ends. The result
// is empty if the kernel does not tell, as for the peer of a connection that
// has been reset.
func localName(fd int32) rawAddr { return socketName(unix.SYS_GETSOCKNAME, fd) }
func peerName(fd int32) rawAddr  { return socketName(unix.SYS_GETPEERNAME, fd) }

func socketName(trap uintptr, fd int32) (a rawAddr) {
	size := uint32(len(a.b))
	_, _, errno := unix.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(&a.b)), uintptr(unsafe.Pointer(&size)))
	if errno == 0 {
		a.n = uint8(min(size, uint32(len(a.b))))
	}
	return a
}
