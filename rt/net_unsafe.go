//go:build linux && !cogen_portable

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
	if isSimulated(fd) {
		return 0, unix.EAGAIN // that is for tasks
	}
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
	if isSimulated(fd) {
		return 0, unix.EAGAIN // that is for tasks
	}
	b = transfer(b)
	for {
		n, _, errno := unix.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(base(b)), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// bindName is bind of a socket of the kernel's.
func bindName(fd int32, a *rawAddr) error {
	_, _, errno := unix.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&a.b)), uintptr(a.n))
	if errno != 0 {
		return errno
	}
	return nil
}

// sockName is localName of a socket of the kernel's.
func sockName(fd int32) (a rawAddr) {
	size := uint32(len(a.b))
	_, _, errno := unix.RawSyscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&a.b)), uintptr(unsafe.Pointer(&size)))
	if errno == 0 {
		a.n = uint8(min(size, uint32(len(a.b))))
	}
	return a
}

// peerName asks for the address of the other end, of a socket whose addresses have
// size bytes. It uses SO_PEERNAME rather than getpeername, which fails for a
// connection that has been reset. Accepting such a one succeeds, and
// its address is wanted then, too.
func peerName(fd int32, size uint8) (a rawAddr) {
	n := uint32(size)
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERNAME, uintptr(unsafe.Pointer(&a.b)), uintptr(unsafe.Pointer(&n)), 0)
	if errno == 0 {
		a.n = uint8(n)
	}
	return a
}

// peerUnixName is peerName for UNIX sockets, whose addresses have no size that is
// known before.
func peerUnixName(fd int32) (a rawAddr) {
	size := uint32(len(a.b))
	_, _, errno := unix.RawSyscall(unix.SYS_GETPEERNAME, uintptr(fd), uintptr(unsafe.Pointer(&a.b)), uintptr(unsafe.Pointer(&size)))
	if errno == 0 {
		a.n = uint8(min(size, uint32(len(a.b))))
	}
	return a
}
