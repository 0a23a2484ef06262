//go:build linux

package uring

import "fmt"

// Opcode is an operation of the ring, IORING_OP_*.
type Opcode uint8

// The operations, in the kernel's order. Ask [Ring.Supports] whether the
// running kernel has one.
const (
	OpNop Opcode = iota
	OpReadv
	OpWritev
	OpFsync
	OpReadFixed
	OpWriteFixed
	OpPollAdd
	OpPollRemove
	OpSyncFileRange
	OpSendmsg
	OpRecvmsg
	OpTimeout
	OpTimeoutRemove
	OpAccept
	OpAsyncCancel
	OpLinkTimeout
	OpConnect
	OpFallocate
	OpOpenat
	OpClose
	OpFilesUpdate
	OpStatx
	OpRead
	OpWrite
	OpFadvise
	OpMadvise
	OpSend
	OpRecv
	OpOpenat2
	OpEpollCtl
	OpSplice
	OpProvideBuffers
	OpRemoveBuffers
	OpTee
	OpShutdown
	OpRenameat
	OpUnlinkat
	OpMkdirat
	OpSymlinkat
	OpLinkat
	OpMsgRing
	OpFsetxattr
	OpSetxattr
	OpFgetxattr
	OpGetxattr
	OpSocket
	OpUringCmd
	OpSendZC
	OpSendmsgZC
	OpReadMultishot
	OpWaitid
	OpFutexWait
	OpFutexWake
	OpFutexWaitv
	OpFixedFDInstall
	OpFtruncate
	OpBind
	OpListen
	OpRecvZC
	OpEpollWait
	OpReadvFixed
	OpWritevFixed
	OpPipe
)

var opcodeNames = [...]string{
	OpNop: "NOP", OpReadv: "READV", OpWritev: "WRITEV", OpFsync: "FSYNC",
	OpReadFixed: "READ_FIXED", OpWriteFixed: "WRITE_FIXED",
	OpPollAdd: "POLL_ADD", OpPollRemove: "POLL_REMOVE",
	OpSyncFileRange: "SYNC_FILE_RANGE", OpSendmsg: "SENDMSG",
	OpRecvmsg: "RECVMSG", OpTimeout: "TIMEOUT",
	OpTimeoutRemove: "TIMEOUT_REMOVE", OpAccept: "ACCEPT",
	OpAsyncCancel: "ASYNC_CANCEL", OpLinkTimeout: "LINK_TIMEOUT",
	OpConnect: "CONNECT", OpFallocate: "FALLOCATE", OpOpenat: "OPENAT",
	OpClose: "CLOSE", OpFilesUpdate: "FILES_UPDATE", OpStatx: "STATX",
	OpRead: "READ", OpWrite: "WRITE", OpFadvise: "FADVISE",
	OpMadvise: "MADVISE", OpSend: "SEND", OpRecv: "RECV",
	OpOpenat2: "OPENAT2", OpEpollCtl: "EPOLL_CTL", OpSplice: "SPLICE",
	OpProvideBuffers: "PROVIDE_BUFFERS", OpRemoveBuffers: "REMOVE_BUFFERS",
	OpTee: "TEE", OpShutdown: "SHUTDOWN", OpRenameat: "RENAMEAT",
	OpUnlinkat: "UNLINKAT", OpMkdirat: "MKDIRAT", OpSymlinkat: "SYMLINKAT",
	OpLinkat: "LINKAT", OpMsgRing: "MSG_RING", OpFsetxattr: "FSETXATTR",
	OpSetxattr: "SETXATTR", OpFgetxattr: "FGETXATTR", OpGetxattr: "GETXATTR",
	OpSocket: "SOCKET", OpUringCmd: "URING_CMD", OpSendZC: "SEND_ZC",
	OpSendmsgZC: "SENDMSG_ZC", OpReadMultishot: "READ_MULTISHOT",
	OpWaitid: "WAITID", OpFutexWait: "FUTEX_WAIT", OpFutexWake: "FUTEX_WAKE",
	OpFutexWaitv: "FUTEX_WAITV", OpFixedFDInstall: "FIXED_FD_INSTALL",
	OpFtruncate: "FTRUNCATE", OpBind: "BIND", OpListen: "LISTEN",
	OpRecvZC: "RECV_ZC", OpEpollWait: "EPOLL_WAIT",
	OpReadvFixed: "READV_FIXED", OpWritevFixed: "WRITEV_FIXED",
	OpPipe: "PIPE",
}

// String returns the kernel's name without its prefix, "RECV" for instance.
func (o Opcode) String() string {
	if int(o) < len(opcodeNames) {
		return opcodeNames[o]
	}
	return fmt.Sprintf("OP_%d", uint8(o))
}
