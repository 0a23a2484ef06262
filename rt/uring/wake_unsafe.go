//go:build linux

package uring

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysSendMsgRing is io_uring_register(IORING_REGISTER_SEND_MSG_RING), which
// executes a MSG_RING entry without a ring of the sender's. The kernel reads e
// during the call only, and e is converted in the call's argument list, which
// keeps it in place meanwhile. The call never blocks.
func sysSendMsgRing(e *SQE) unix.Errno {
	const noRing = ^uintptr(0)
	_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_REGISTER, noRing, registerSendMsgRing, uintptr(unsafe.Pointer(e)), 1, 0, 0)
	return errno
}

// sysAddEvent adds one to an event descriptor. It is a write of eight bytes, read
// by the kernel during the call only; the descriptor is non-blocking.
func sysAddEvent(fd int) unix.Errno {
	one := uint64(1)
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
	return errno
}

// sysRecvNow is recv that does not wait. The kernel uses b, which must not be
// empty, during the call only.
func sysRecvNow(fd int32, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}
