//go:build linux

package uring

import "golang.org/x/sys/unix"

// Polls, times, cancellations, messages and other things that wait or end waits.

// PrepPollAdd waits until one of events (POLLIN, ...) is there. The result is
// the mask of those that are. flags may be PollAddMulti: a completion with
// More set is then followed by others.
func (e *SQE) PrepPollAdd(fd int32, events, flags uint32) {
	*e = SQE{Opcode: OpPollAdd, FD: fd, Len: flags, OpFlags: pollEvents(events)}
}

// PrepPollRemove ends the poll that was submitted with userData. The result is 0,
// or -ENOENT.
func (e *SQE) PrepPollRemove(userData uint64) {
	*e = SQE{Opcode: OpPollRemove, FD: -1, Addr: userData}
}

// PrepPollUpdate changes the poll that was submitted with userData, in one step. flags
// say what changes: PollUpdateEvents (PollAddMulti with it keeps it a multishot),
// PollUpdateUserData.
func (e *SQE) PrepPollUpdate(userData, newUserData uint64, events, flags uint32) {
	*e = SQE{Opcode: OpPollRemove, FD: -1, Addr: userData, Off: newUserData, Len: flags, OpFlags: pollEvents(events)}
}

// pollEvents is the value for the entry. The kernel once had 16 bits here and kept
// them where they were, so on a big-endian machine the halves are swapped.
func pollEvents(events uint32) uint32 {
	if bigEndian {
		events = events<<16 | events>>16
	}
	return events
}

// PrepEpollCtl changes what an epoll set watches.
func (e *SQE) PrepEpollCtl(epfd, op, fd int32, ev *unix.EpollEvent) {
	*e = SQE{Opcode: OpEpollCtl, FD: epfd, Addr: pointer(ev), Len: uint32(op), Off: uint64(uint32(fd))}
}

// PrepEpollWait waits on an epoll set (Linux 6.15). The result is the number of
// events.
func (e *SQE) PrepEpollWait(epfd int32, events []unix.EpollEvent, flags uint32) {
	*e = SQE{Opcode: OpEpollWait, FD: epfd, Addr: array(events), Len: uint32(len(events)), OpFlags: flags}
}

// PrepTimeout completes with -ETIME after ts, or with 0 as soon as count other
// requests have completed, if count is not 0. flags are Timeout*.
func (e *SQE) PrepTimeout(ts *Timespec, count uint32, flags uint32) {
	*e = SQE{Opcode: OpTimeout, FD: -1, Addr: pointer(ts), Len: 1, Off: uint64(count), OpFlags: flags}
}

// PrepTimeoutRemove ends the timeout that was submitted with userData, which
// completes with -ECANCELED. The result is 0, -ENOENT or -EBUSY.
func (e *SQE) PrepTimeoutRemove(userData uint64) {
	*e = SQE{Opcode: OpTimeoutRemove, FD: -1, Addr: userData}
}

// PrepTimeoutUpdate gives the timeout that was submitted with userData a new time
// (Linux 5.11). flags may be TimeoutAbs, and LinkTimeoutUpdate for a link timeout.
func (e *SQE) PrepTimeoutUpdate(userData uint64, ts *Timespec, flags uint32) {
	*e = SQE{Opcode: OpTimeoutRemove, FD: -1, Addr: userData, Off: pointer(ts), OpFlags: flags | TimeoutUpdate}
}

// PrepLinkTimeout limits the time of the entry before it, which must have SQEIOLink
// set. If the time is over that entry ends with -ECANCELED and this one with -ETIME;
// else this one ends with -ECANCELED, or -ENOENT if both happened together. The two
// completions come in any order.
func (e *SQE) PrepLinkTimeout(ts *Timespec, flags uint32) {
	*e = SQE{Opcode: OpLinkTimeout, FD: -1, Addr: pointer(ts), Len: 1, OpFlags: flags}
}

// PrepCancel cancels the request submitted with userData. The result is 0 if it
// was found and will end soon, -ENOENT if it was not found, -EALREADY if it is
// being executed, which then may or may not be interrupted.
func (e *SQE) PrepCancel(userData uint64) {
	*e = SQE{Opcode: OpAsyncCancel, FD: -1, Addr: userData}
}

// PrepCancelFD cancels requests on a descriptor (Linux 5.19): the first that is found, or with
// CancelAll all of them, and the result is then how many were found. With
// CancelFDFixed fd is a registered file.
func (e *SQE) PrepCancelFD(fd int32, flags uint32) {
	*e = SQE{Opcode: OpAsyncCancel, FD: fd, OpFlags: flags | CancelFD}
}

// PrepCancelAny cancels all requests, whatever they are (Linux 5.19). The result is how many
// were found.
func (e *SQE) PrepCancelAny() {
	*e = SQE{Opcode: OpAsyncCancel, FD: -1, OpFlags: CancelAny}
}

// PrepCancelOp cancels requests of one operation (Linux 6.6), further limited by flags.
func (e *SQE) PrepCancelOp(op Opcode, flags uint32) {
	*e = SQE{Opcode: OpAsyncCancel, FD: -1, Len: uint32(op), OpFlags: flags | CancelOp}
}

// PrepMsgRing makes a completion with the given userData and result appear in
// the ring with descriptor fd (Linux 5.18).
func (e *SQE) PrepMsgRing(fd int32, userData uint64, res uint32) {
	*e = SQE{Opcode: OpMsgRing, FD: fd, Addr: msgData, Off: userData, Len: res}
}

// PrepMsgRingFD puts the registered file at index src of this ring into the files of
// the ring with descriptor fd at index dst (Linux 6.0), or where there is room if that is
// FileIndexAlloc; the result is then the index. A completion with userData and that
// result appears there, unless flags has MsgRingCQESkip.
func (e *SQE) PrepMsgRingFD(fd int32, src, dst uint32, userData uint64, flags uint32) {
	*e = SQE{Opcode: OpMsgRing, FD: fd, Addr: msgSendFD, Addr3: uint64(src), Off: userData, OpFlags: flags}
	e.SetDirect(dst)
}

// PrepFilesUpdate replaces registered files, beginning at index: with descriptors,
// or -1 for none. With FileIndexAlloc as index (Linux 5.19) they are put where there is room
// and fds receives the indices. The result is how many were replaced.
func (e *SQE) PrepFilesUpdate(fds []int32, index uint32) {
	*e = SQE{Opcode: OpFilesUpdate, FD: -1, Addr: array(fds), Len: uint32(len(fds)), Off: uint64(index)}
}

// PrepFixedFDInstall makes an ordinary descriptor, which is the result, for the
// registered file at index (Linux 6.8). It sets Flags.
func (e *SQE) PrepFixedFDInstall(index uint32, flags uint32) {
	*e = SQE{Opcode: OpFixedFDInstall, FD: int32(index), Flags: SQEFixedFile, OpFlags: flags}
}

// PrepFutexWait waits until it is woken while *addr is value (Linux 6.7); else the
// result is -EAGAIN. flags are FUTEX2_*: a futex of 32 bits is 2, shared by threads of this
// process only 128 more. A wake with a mask that has a bit in common wakes it.
func (e *SQE) PrepFutexWait(addr *uint32, value, mask uint64, flags uint32) {
	*e = SQE{Opcode: OpFutexWait, FD: int32(flags), Addr: pointer(addr), Off: value, Addr3: mask}
}

// PrepFutexWake wakes at most n waiters of addr (Linux 6.7); see PrepFutexWait. The
// result is how many.
func (e *SQE) PrepFutexWake(addr *uint32, n, mask uint64, flags uint32) {
	*e = SQE{Opcode: OpFutexWake, FD: int32(flags), Addr: pointer(addr), Off: n, Addr3: mask}
}

// PrepWaitid is waitid(2) (Linux 6.7): it waits for a child process. info may be nil.
func (e *SQE) PrepWaitid(idType, id, options uint32, info *unix.Siginfo) {
	*e = SQE{Opcode: OpWaitid, FD: int32(id), Len: idType, Off: pointer(info), FileIndex: options}
}
