//go:build linux

package uring

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapQueues maps the two rings and the array of submission entries, and points
// the fields of r into them.
func (r *Ring) mapQueues(p *params) error {
	sqSize := p.sqOff.array + p.sqEntries*4
	cqSize := p.cqOff.cqes + p.cqEntries*uint32(unsafe.Sizeof(CQE{}))
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	rings, err := unix.Mmap(r.fd, offSQRing, int(max(sqSize, cqSize)), prot, flags)
	if err != nil {
		return err
	}
	sqes, err := unix.Mmap(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(SQE{})), prot, flags)
	if err != nil {
		unix.Munmap(rings)
		return err
	}
	r.mappings = [2][]byte{rings, sqes}

	// The mapping is not Go memory: it does not move, the collector ignores
	// it, and it stays until unmap, which also clears these pointers. The
	// kernel aligns every offset for its type.
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&rings[off])) }
	r.sqHead, r.sqTail, r.flags = word(p.sqOff.head), word(p.sqOff.tail), word(p.sqOff.flags)
	r.cqHead, r.cqTail = word(p.cqOff.head), word(p.cqOff.tail)
	r.sqMask, r.cqMask = *word(p.sqOff.ringMask), *word(p.cqOff.ringMask)
	// Both arrays lie wholly inside their mappings by the sizes above.
	r.sqes = unsafe.Slice((*SQE)(unsafe.Pointer(&sqes[0])), p.sqEntries)
	r.cqes = unsafe.Slice((*CQE)(unsafe.Pointer(&rings[p.cqOff.cqes])), p.cqEntries)

	if p.flags&SetupNoSQArray == 0 {
		// Entry i of the ring is always submission entry i, so the
		// indirection is written once and forgotten.
		array := unsafe.Slice(word(p.sqOff.array), p.sqEntries)
		for i := range array {
			array[i] = uint32(i)
		}
	}
	return nil
}

// unmap undoes mapQueues. It points the ring at empty queues of its own, so that
// a stray call on a closed ring finds nothing instead of faulting.
func (r *Ring) unmap() error {
	zero := new(uint32)
	r.sqHead, r.sqTail, r.flags, r.cqHead, r.cqTail = zero, zero, zero, zero, zero
	r.head, r.tail = 0, 0
	r.sqes, r.cqes = nil, nil
	var err error
	for i, m := range r.mappings {
		r.mappings[i] = nil
		if m == nil {
			continue
		}
		if uerr := unix.Munmap(m); err == nil {
			err = uerr
		}
	}
	return err
}

// sysSetup is io_uring_setup. The kernel uses p during the call only, and p is
// converted in the call's argument list, which keeps it in place meanwhile.
func sysSetup(entries uint32, p *params) (int, unix.Errno) {
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(p)), 0)
	return int(fd), errno
}

// register is io_uring_register. What arg points to is read, and written, during
// the call only, except what the operation is there to hand over.
func (r *Ring) register(op uintptr, arg unsafe.Pointer, n uint32) unix.Errno {
	_, errno := r.registerCount(op, arg, n)
	return errno
}

// registerCount is register for operations that return how many they have done.
func (r *Ring) registerCount(op uintptr, arg unsafe.Pointer, n uint32) (int, unix.Errno) {
	for {
		done, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), op, uintptr(arg), uintptr(n), 0, 0)
		switch errno {
		case 0:
			return int(done), 0
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// askProbe is io_uring_register(IORING_REGISTER_PROBE).
func (r *Ring) askProbe(p *probe) unix.Errno {
	return r.register(registerProbe, unsafe.Pointer(p), probeOps)
}

// enterArg is enter with an argument for the times. The ring is on the heap, which
// does not move, and r keeps it reachable, so the address of r.ts inside r.arg is good
// during the call.
func (r *Ring) enterArg(submit, wait uint32, flags uintptr, batch, timeout time.Duration) unix.Errno {
	r.arg = getEventsArg{minWait: uint32(min(batch/time.Microsecond, 1<<32-1))}
	if timeout >= 0 {
		r.ts = Timespec{Sec: int64(timeout / time.Second), Nsec: int64(timeout % time.Second)}
		r.arg.ts = uint64(uintptr(unsafe.Pointer(&r.ts)))
	}
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, r.enterFD, uintptr(submit), uintptr(wait),
		flags|enterExtArg, uintptr(unsafe.Pointer(&r.arg)), unsafe.Sizeof(r.arg))
	return errno
}
