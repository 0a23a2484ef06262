//go:build linux

package uring

import "encoding/binary"

// The Prep methods fill an entry as Ring.SQE returns it. UserData, Flags and
// IOPrio are left for the caller to set afterwards, except where a method says that
// it sets them.
//
// What a method takes a pointer or a slice to must stay reachable and unchanged
// until the entry has been submitted if the kernel only reads it as part of the
// request (paths, addresses, times, iovecs, message headers), and until the request
// has completed if it is the data itself or something that the kernel writes to. On a
// ring with SQPOLL everything must stay until the completion.

// PrepNop does nothing and completes with 0.
func (e *SQE) PrepNop() {
	*e = SQE{Opcode: OpNop, FD: -1}
}

// PrepClose closes a descriptor.
func (e *SQE) PrepClose(fd int32) {
	*e = SQE{Opcode: OpClose, FD: fd}
}

// PrepCloseDirect closes a direct descriptor (Linux 5.15).
func (e *SQE) PrepCloseDirect(index uint32) {
	*e = SQE{Opcode: OpClose}
	e.SetDirect(index)
}

// SelectBuffer makes a receive or read, prepared with a nil buffer, take its buffer
// from the given group when there is something to put into it.
func (e *SQE) SelectBuffer(group uint16) {
	e.Flags |= SQEBufferSelect
	e.BufIndex = group
}

// SetDirect makes an operation that opens a descriptor (open, accept, socket) put
// it into the ring's registered files at index instead, or where there is room if
// that is FileIndexAlloc; the result is then the index. It makes a close close a
// direct descriptor.
func (e *SQE) SetDirect(index uint32) {
	// 0 means an ordinary descriptor, so the kernel counts from 1. The value
	// that asks for allocation is not shifted.
	if index != FileIndexAlloc {
		index++
	}
	e.FileIndex = index
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// maxTransfer is the most that the kernel moves in one operation (MAX_RW_COUNT
// with 4 KiB pages). Longer buffers would not fit into Len or Res.
const maxTransfer = 0x7ffff000
