//go:build linux

package uring

import "encoding/binary"

// The Prep methods fill an entry as Ring.SQE returns it. UserData, Flags and
// IOPrio are left for the caller to set afterwards.

// PrepNop does nothing and completes with 0.
func (e *SQE) PrepNop() {
	*e = SQE{Opcode: OpNop, FD: -1}
}

// PrepClose closes a descriptor.
func (e *SQE) PrepClose(fd int32) {
	*e = SQE{Opcode: OpClose, FD: fd}
}

// PrepAccept accepts a connection without asking for the peer's address. flags
// are SOCK_CLOEXEC and SOCK_NONBLOCK. The result is the new descriptor.
func (e *SQE) PrepAccept(fd int32, flags uint32) {
	*e = SQE{Opcode: OpAccept, FD: fd, OpFlags: flags}
}

// PrepPollAdd waits until one of events (POLLIN, ...) is there. The result is
// the mask of those that are. flags may be PollAddMulti: a completion with
// CQEMore set is then followed by others.
func (e *SQE) PrepPollAdd(fd int32, events, flags uint32) {
	// The kernel once had 16 bits here and kept them where they were, so on
	// a big-endian machine the halves are swapped.
	if bigEndian {
		events = events<<16 | events>>16
	}
	*e = SQE{Opcode: OpPollAdd, FD: fd, Len: flags, OpFlags: events}
}

// PrepCancel cancels the request submitted with userData. The result is 0 if it
// was found and will end soon, -ENOENT if it was not found, -EALREADY if it is
// being executed, which then may or may not be interrupted.
func (e *SQE) PrepCancel(userData uint64) {
	*e = SQE{Opcode: OpAsyncCancel, FD: -1, Addr: userData}
}

// PrepMsgRing makes a completion with the given userData and result appear in
// the ring with descriptor fd.
func (e *SQE) PrepMsgRing(fd int32, userData uint64, res uint32) {
	*e = SQE{Opcode: OpMsgRing, FD: fd, Off: userData, Len: res}
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// maxTransfer is the most that the kernel moves in one operation (MAX_RW_COUNT
// with 4 KiB pages). Longer buffers would not fit into Len or Res.
const maxTransfer = 0x7ffff000
