//go:build linux

package uring

import "golang.org/x/sys/unix"

// PrepRecv receives at most len(buf) bytes from a socket. The result is their
// number, 0 at the end of the stream. With a nil buf and SelectBuffer a provided
// buffer is used.
func (e *SQE) PrepRecv(fd int32, buf []byte, flags uint32) {
	e.prepTransfer(OpRecv, fd, buf, flags)
}

// PrepRecvMultishot receives again and again (Linux 6.0), each time into a buffer of
// the given group, with a completion for each that has More set. The request
// ends with a completion without, see [CQE.More]. The result is as for PrepRecv.
// It sets IOPrio; a bundle needs RecvSendBundle added to that.
func (e *SQE) PrepRecvMultishot(fd int32, group uint16, flags uint32) {
	*e = SQE{Opcode: OpRecv, FD: fd, OpFlags: flags, IOPrio: RecvMultishot}
	e.SelectBuffer(group)
}

// PrepRecvmsg receives a message. The kernel writes to msg, and to what it points
// to, until the completion.
func (e *SQE) PrepRecvmsg(fd int32, msg *unix.Msghdr, flags uint32) {
	*e = SQE{Opcode: OpRecvmsg, FD: fd, Addr: pointer(msg), Len: 1, OpFlags: flags}
}

// PrepRecvmsgMultishot receives messages again and again (Linux 6.0), each into a
// buffer of the given group; see PrepRecvMultishot. Of msg only Namelen and
// Controllen are used, as the room to leave for address and control data in each
// buffer; [ParseRecvmsg] takes the buffer apart.
func (e *SQE) PrepRecvmsgMultishot(fd int32, msg *unix.Msghdr, group uint16, flags uint32) {
	e.PrepRecvmsg(fd, msg, flags)
	e.IOPrio = RecvMultishot
	e.SelectBuffer(group)
}

// PrepSend sends buf on a socket. The result is the number of bytes taken.
func (e *SQE) PrepSend(fd int32, buf []byte, flags uint32) {
	e.prepTransfer(OpSend, fd, buf, flags)
}

// PrepSendZC is PrepSend without copying buf (Linux 6.0). It completes twice: with
// the result, which may be an error, and, if that completion has More set, with a
// [CQE.Notification] as soon as buf may be changed. zcFlags may be SendZCReportUsage, or RecvSendFixedBuf with BufIndex set
// to a registered buffer that buf is part of.
func (e *SQE) PrepSendZC(fd int32, buf []byte, flags uint32, zcFlags uint16) {
	e.prepTransfer(OpSendZC, fd, buf, flags)
	e.IOPrio = zcFlags
}

// SetAddr gives a prepared PrepSend (Linux 6.1) or PrepSendZC a raw socket address to send to.
func (e *SQE) SetAddr(addr []byte) {
	e.Off = array(addr)
	// addr_len is the first half of the field.
	e.FileIndex = uint32(len(addr))
	if bigEndian {
		e.FileIndex <<= 16
	}
}

// PrepSendmsg sends a message. The result is the number of bytes taken.
func (e *SQE) PrepSendmsg(fd int32, msg *unix.Msghdr, flags uint32) {
	*e = SQE{Opcode: OpSendmsg, FD: fd, Addr: pointer(msg), Len: 1, OpFlags: flags}
}

// PrepSendmsgZC is PrepSendmsg without copying (Linux 6.1), see PrepSendZC.
func (e *SQE) PrepSendmsgZC(fd int32, msg *unix.Msghdr, flags uint32, zcFlags uint16) {
	e.PrepSendmsg(fd, msg, flags)
	e.Opcode, e.IOPrio = OpSendmsgZC, zcFlags
}

// PrepAccept accepts a connection without asking for the peer's address. flags
// are SOCK_CLOEXEC and SOCK_NONBLOCK. The result is the new descriptor.
func (e *SQE) PrepAccept(fd int32, flags uint32) {
	*e = SQE{Opcode: OpAccept, FD: fd, OpFlags: flags}
}

// PrepAcceptAddr is PrepAccept, and stores the peer's address. *addrlen is the
// length of addr, and then that of the address.
func (e *SQE) PrepAcceptAddr(fd int32, addr []byte, addrlen *uint32, flags uint32) {
	*e = SQE{Opcode: OpAccept, FD: fd, Addr: array(addr), Off: pointer(addrlen), OpFlags: flags}
}

// PrepAcceptMultishot accepts again and again (Linux 5.19), with a completion for
// each connection, until one without More, see [CQE.More]. It sets IOPrio.
func (e *SQE) PrepAcceptMultishot(fd int32, flags uint32) {
	*e = SQE{Opcode: OpAccept, FD: fd, OpFlags: flags, IOPrio: AcceptMultishot}
}

// PrepConnect connects a socket to the raw socket address addr.
func (e *SQE) PrepConnect(fd int32, addr []byte) {
	*e = SQE{Opcode: OpConnect, FD: fd, Addr: array(addr), Off: uint64(len(addr))}
}

// PrepSocket opens a socket (Linux 5.19). typ may have SOCK_CLOEXEC and
// SOCK_NONBLOCK. The result is the descriptor.
func (e *SQE) PrepSocket(domain, typ, protocol uint32) {
	*e = SQE{Opcode: OpSocket, FD: int32(domain), Off: uint64(typ), Len: protocol}
}

// PrepBind binds a socket to the raw socket address addr (Linux 6.11).
func (e *SQE) PrepBind(fd int32, addr []byte) {
	*e = SQE{Opcode: OpBind, FD: fd, Addr: array(addr), Off: uint64(len(addr))}
}

// PrepListen makes a socket a listening one (Linux 6.11).
func (e *SQE) PrepListen(fd int32, backlog uint32) {
	*e = SQE{Opcode: OpListen, FD: fd, Len: backlog}
}

// PrepShutdown ends one direction of a connection, or both (Linux 5.11).
func (e *SQE) PrepShutdown(fd int32, how uint32) {
	*e = SQE{Opcode: OpShutdown, FD: fd, Len: how}
}

func (e *SQE) prepTransfer(op Opcode, fd int32, buf []byte, flags uint32) {
	*e = SQE{
		Opcode:  op,
		FD:      fd,
		Addr:    array(buf),
		Len:     uint32(min(len(buf), maxTransfer)),
		OpFlags: flags,
	}
}
