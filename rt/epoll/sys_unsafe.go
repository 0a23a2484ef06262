//go:build linux

package epoll

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// All system calls of the driver. Those that cannot block are raw: they do not
// tell the scheduler, which saves it the bookkeeping and is right only because
// they come back by themselves.
//
// Every unsafe.Pointer in this file is converted to uintptr in the argument list
// of a call implemented in assembly, so the memory stays where it is until the
// call returns (rule 4 of package unsafe), and the kernel keeps no pointer
// beyond that.

// zero stands for the memory of an empty buffer.
var zero byte

func base(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return unsafe.Pointer(&zero)
	}
	// Sound: callers pass it straight to a call, with len(b) as the size.
	return unsafe.Pointer(unsafe.SliceData(b))
}

func recv(fd int32, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(base(b)), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	if errno == 0 {
		raceReceived(b[:n])
	}
	return int(n), errno
}

func send(fd int32, b []byte) (int, unix.Errno) {
	raceSending(b)
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(base(b)), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// readStream is for descriptors that are non-blocking.
func readStream(fd int32, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(base(b)), uintptr(len(b)))
	if errno == 0 {
		raceReceived(b[:n])
	}
	return int(n), errno
}

// writeStream is for descriptors that are non-blocking.
func writeStream(fd int32, b []byte) (int, unix.Errno) {
	raceSending(b)
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(base(b)), uintptr(len(b)))
	return int(n), errno
}

// readCached reads from a file at an offset, or with -1 at its position, what is
// in memory. It fails with EAGAIN if nothing is, and with EOPNOTSUPP if
// the file system cannot tell.
func readCached(fd int32, b []byte, off int64) (int, unix.Errno) {
	v := unix.Iovec{Base: (*byte)(base(b))}
	v.SetLen(len(b))
	n, _, errno := unix.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(&v)), 1, uintptr(off), uintptr(off>>32), unix.RWF_NOWAIT)
	if errno == 0 {
		raceReceived(b[:n])
	}
	return int(n), errno
}

func sendmsg(fd int32, m *unix.Msghdr) (int, unix.Errno) {
	// The message has the vector that Op.Raw made of slices.
	for _, v := range unsafe.Slice(m.Iov, m.Iovlen) {
		raceSending(unsafe.Slice(v.Base, v.Len))
	}
	n, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(m)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	return int(n), errno
}

func recvmsg(fd int32, m *unix.Msghdr) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(m)), unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if errno == 0 {
		raceReceived(unsafe.Slice(m.Iov.Base, min(n, uintptr(m.Iov.Len))))
	}
	return int(n), errno
}

// ready fails with EAGAIN unless one of events, or an error, is there now.
func ready(fd int32, events int16) unix.Errno {
	p := unix.PollFd{Fd: fd, Events: events}
	var now [2]int64
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	switch {
	case errno != 0:
		return errno
	case n == 0:
		return unix.EAGAIN
	case p.Revents&unix.POLLNVAL != 0:
		return unix.EBADF
	}
	return 0
}

func accept(fd int32) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_ACCEPT4, uintptr(fd), 0, 0, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
	return int(n), errno
}

func connect(fd int32, addr []byte) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(base(addr)), uintptr(len(addr)))
	return errno
}

// hasPeer reports whether the socket is connected.
func hasPeer(fd int32) bool {
	var addr [128]byte // sizeof(struct sockaddr_storage)
	size := uint32(len(addr))
	_, _, errno := unix.RawSyscall(unix.SYS_GETPEERNAME, uintptr(fd), uintptr(unsafe.Pointer(&addr)), uintptr(unsafe.Pointer(&size)))
	return errno == 0
}

// sockopt reads an integer option of level SOL_SOCKET.
func sockopt(fd int32, option uintptr) (int32, unix.Errno) {
	var v int32
	size := uint32(unsafe.Sizeof(v))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, option, uintptr(unsafe.Pointer(&v)), uintptr(unsafe.Pointer(&size)), 0)
	return v, errno
}

func fcntl(fd int32, cmd, arg uintptr) (uintptr, unix.Errno) {
	r, _, errno := unix.RawSyscall(unix.SYS_FCNTL, uintptr(fd), cmd, arg)
	return r, errno
}

// closeFD is not raw: closing can block, for a socket that lingers.
func closeFD(fd int32) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
	return errno
}

func eventWrite(fd int32) {
	one := uint64(1)
	unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
}

func epollCtl(set int32, op int, fd int32, ev *unix.EpollEvent) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(set), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(ev)), 0, 0)
	return errno
}

// epollNow collects what is there, without blocking.
func epollNow(set int32, evs []unix.EpollEvent) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(set), uintptr(unsafe.Pointer(unsafe.SliceData(evs))), uintptr(len(evs)), 0, 0, 0)
	return int(n), errno
}

// epollWait blocks for at most ms milliseconds, for ever if ms is negative.
func epollWait(set int32, evs []unix.EpollEvent, ms int32) (int, unix.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(set), uintptr(unsafe.Pointer(unsafe.SliceData(evs))), uintptr(len(evs)), uintptr(ms), 0, 0)
	return int(n), errno
}

// epollWait2 blocks for at most d, to the nanosecond. Linux 5.11.
func epollWait2(set int32, evs []unix.EpollEvent, d time.Duration) (int, unix.Errno) {
	// struct __kernel_timespec is 64 bits wide on every architecture.
	ts := [2]int64{int64(d / time.Second), int64(d % time.Second)}
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(set), uintptr(unsafe.Pointer(unsafe.SliceData(evs))), uintptr(len(evs)), uintptr(unsafe.Pointer(&ts)), 0, 0)
	return int(n), errno
}
