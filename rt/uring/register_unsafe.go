//go:build linux

package uring

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// In all these calls of io_uring_register the kernel reads and writes its argument,
// and what that points to, during the call only, so what is reachable until the call
// has returned is safe. It remembers files and, for buffers, pages, which it pins.

func (r *Ring) registerSparse(op uintptr, n int) unix.Errno {
	arg := rsrcRegister{nr: uint32(n), flags: rsrcRegisterSparse}
	return r.register(op, unsafe.Pointer(&arg), uint32(unsafe.Sizeof(arg)))
}

func (r *Ring) registerArray(op uintptr, fds []int32) unix.Errno {
	return r.register(op, unsafe.Pointer(unsafe.SliceData(fds)), uint32(len(fds)))
}

func (r *Ring) updateFiles(index int, fds []int32) (int, unix.Errno) {
	arg := rsrcUpdate{offset: uint32(index), data: array(fds)}
	n, errno := r.registerCount(registerFilesUpdate, unsafe.Pointer(&arg), uint32(len(fds)))
	runtime.KeepAlive(fds)
	return n, errno
}

func (r *Ring) updateBuffers(index int, bufs [][]byte) (int, unix.Errno) {
	iov := make([]unix.Iovec, len(bufs))
	for i, b := range bufs {
		iov[i].Base = unsafe.SliceData(b)
		iov[i].SetLen(len(b))
		if len(b) == 0 {
			iov[i].Base = nil
		}
	}
	arg := rsrcUpdate2{offset: uint32(index), data: array(iov), nr: uint32(len(iov))}
	n, errno := r.registerCount(registerBuffersUpdate, unsafe.Pointer(&arg), uint32(unsafe.Sizeof(arg)))
	runtime.KeepAlive(iov)
	return n, errno
}

func (r *Ring) allocRange(index, n int) unix.Errno {
	arg := fileIndexRange{off: uint32(index), len: uint32(n)}
	return r.register(registerFileAllocRange, unsafe.Pointer(&arg), 0)
}

func (r *Ring) registerLimits(limits *[2]uint32) unix.Errno {
	return r.register(registerIOWQMaxWorkers, unsafe.Pointer(limits), 2)
}

// updateRingFD registers the ring's descriptor for the calling thread, or removes the
// registration with the given index. It returns the index.
func (r *Ring) updateRingFD(op uintptr, index uint32) (uint32, unix.Errno) {
	arg := rsrcUpdate{offset: index}
	if op == registerRingFDs {
		arg.data = uint64(r.fd)
	}
	n, errno := r.registerCount(op, unsafe.Pointer(&arg), 1)
	if errno == 0 && n != 1 {
		errno = unix.EINVAL
	}
	return arg.offset, errno
}

func (r *Ring) syncCancel(c *syncCancel) unix.Errno {
	return r.register(registerSyncCancel, unsafe.Pointer(c), 1)
}

func (r *Ring) registerResize(p *params) unix.Errno {
	return r.register(registerResizeRings, unsafe.Pointer(p), 1)
}

func (r *Ring) registerNAPI(op uintptr, n *napi) unix.Errno {
	return r.register(op, unsafe.Pointer(n), 1)
}

func (r *Ring) registerClock(c *clockRegister) unix.Errno {
	return r.register(registerClock, unsafe.Pointer(c), 0)
}

// indices are the two ends of the submission queue in shared memory.
func (r *Ring) indices() (head, tail uint32) {
	return atomic.LoadUint32(r.sqHead), atomic.LoadUint32(r.sqTail)
}
