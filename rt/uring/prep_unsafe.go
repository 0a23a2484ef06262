//go:build linux

package uring

import "unsafe"

// All uses of unsafe here turn the address of memory that the caller keeps
// reachable until the completion (package comment) into the number that the
// kernel wants. That is sound because the memory is on the heap (or static),
// where nothing moves: a buffer that would otherwise live on a goroutine's
// stack, which does move, is forced onto the heap by escapes.

// never is false. The compiler does not know that, and so takes what escapes
// stores in sink for escaped.
var (
	never bool
	//lint:ignore U1000 it is written so that what is written escapes
	sink unsafe.Pointer
)

func escapes(p unsafe.Pointer) uint64 {
	if never {
		sink = p
	}
	return uint64(uintptr(p))
}

// PrepRecv receives at most len(buf) bytes from a socket. The result is their
// number, 0 at the end of the stream.
func (e *SQE) PrepRecv(fd int32, buf []byte, flags uint32) {
	e.prepTransfer(OpRecv, fd, buf, flags)
}

// PrepSend sends buf on a socket. The result is the number of bytes taken.
func (e *SQE) PrepSend(fd int32, buf []byte, flags uint32) {
	e.prepTransfer(OpSend, fd, buf, flags)
}

// PrepRead reads at offset off into buf; -1 means the file's own position.
func (e *SQE) PrepRead(fd int32, buf []byte, off int64) {
	e.prepTransfer(OpRead, fd, buf, 0)
	e.Off = uint64(off)
}

// PrepWrite writes buf at offset off; -1 means the file's own position.
func (e *SQE) PrepWrite(fd int32, buf []byte, off int64) {
	e.prepTransfer(OpWrite, fd, buf, 0)
	e.Off = uint64(off)
}

func (e *SQE) prepTransfer(op Opcode, fd int32, buf []byte, flags uint32) {
	*e = SQE{
		Opcode:  op,
		FD:      fd,
		Addr:    escapes(unsafe.Pointer(unsafe.SliceData(buf))),
		Len:     uint32(min(len(buf), maxTransfer)),
		OpFlags: flags,
	}
}

// PrepConnect connects a socket to the raw socket address addr.
func (e *SQE) PrepConnect(fd int32, addr []byte) {
	*e = SQE{
		Opcode: OpConnect,
		FD:     fd,
		Addr:   escapes(unsafe.Pointer(unsafe.SliceData(addr))),
		Off:    uint64(len(addr)),
	}
}

// PrepTimeout completes with -ETIME after ts, or with 0 as soon as count other
// requests have completed, if count is not 0. ts is read at submission.
func (e *SQE) PrepTimeout(ts *Timespec, count uint32, flags uint32) {
	*e = SQE{
		Opcode:  OpTimeout,
		FD:      -1,
		Addr:    escapes(unsafe.Pointer(ts)),
		Len:     1,
		Off:     uint64(count),
		OpFlags: flags,
	}
}
