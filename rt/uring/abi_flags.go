//go:build linux

package uring

// Flags of an SQE, IOSQE_*. The Prep methods leave those that are the caller's
// choice alone.
const (
	SQEFixedFile      = 1 << 0 // FD is an index into the registered files
	SQEIODrain        = 1 << 1
	SQEIOLink         = 1 << 2 // the next entry starts when this one has succeeded
	SQEIOHardlink     = 1 << 3 // the next entry starts when this one has ended
	SQEAsync          = 1 << 4 // go to a kernel thread at once
	SQEBufferSelect   = 1 << 5 // take a buffer from the group BufIndex
	SQECQESkipSuccess = 1 << 6 // no completion if the request succeeds
)

// Flags of a CQE, IORING_CQE_F_*.
const (
	CQEBuffer       = 1 << 0 // a provided buffer was used, see BufRing
	CQEMore         = 1 << 1 // the request will complete again
	CQESockNonEmpty = 1 << 2 // there was more to receive
	CQENotif        = 1 << 3 // the kernel has let go of the buffer of a zero-copy send
	CQEBufMore      = 1 << 4 // the buffer will be used again, see BufRing

	cqeBufferShift = 16
)

// Flags in the IOPrio of an ACCEPT.
const (
	AcceptMultishot = 1 << 0
	AcceptDontWait  = 1 << 1 // Linux 6.10
	AcceptPollFirst = 1 << 2 // Linux 6.10
)

// Flags in the IOPrio of a RECV, SEND, RECVMSG, SENDMSG and the zero-copy ones.
const (
	RecvSendPollFirst = 1 << 0 // wait for readiness before the first try
	RecvMultishot     = 1 << 1
	RecvSendFixedBuf  = 1 << 2 // BufIndex is that of a registered buffer
	SendZCReportUsage = 1 << 3 // the result of the notification tells whether it was copied
	RecvSendBundle    = 1 << 4 // Linux 6.10: as many buffers of the group as it takes
	SendVectorized    = 1 << 5 // Linux 6.17: Addr is an array of iovecs
)

// NotifCopied is the bit in the Res of a notification that SendZCReportUsage asks
// for: the kernel has copied the data after all.
const NotifCopied = -1 << 31

// Flags in the Len of a POLL_ADD or POLL_REMOVE.
const (
	PollAddMulti       = 1 << 0
	PollUpdateEvents   = 1 << 1
	PollUpdateUserData = 1 << 2
	PollAddLevel       = 1 << 3
)

// Flags of an ASYNC_CANCEL: which requests it means. Without any it is the one
// with the given UserData.
const (
	CancelAll      = 1 << 0 // all that match, not the first; the result is their number
	CancelFD       = 1 << 1 // by descriptor
	CancelAny      = 1 << 2 // every request
	CancelFDFixed  = 1 << 3 // by registered file
	CancelUserData = 1 << 4 // by UserData, together with others
	CancelOp       = 1 << 5 // by operation
)

// Flags of a TIMEOUT or LINK_TIMEOUT.
const (
	TimeoutAbs          = 1 << 0 // a point in time instead of a duration
	TimeoutUpdate       = 1 << 1
	TimeoutBoottime     = 1 << 2
	TimeoutRealtime     = 1 << 3
	LinkTimeoutUpdate   = 1 << 4
	TimeoutETIMESuccess = 1 << 5 // -ETIME does not break a chain of links
	TimeoutMultishot    = 1 << 6 // Linux 6.4
)

// FsyncDatasync is a flag of FSYNC.
const FsyncDatasync = 1 << 0

// SpliceFDInFixed is a flag of SPLICE and TEE: the descriptor that is read from is
// a registered file.
const SpliceFDInFixed = 1 << 31

// Flags of a MSG_RING.
const (
	MsgRingCQESkip   = 1 << 0
	MsgRingFlagsPass = 1 << 1 // FileIndex is the Flags of the completion
)

const (
	msgData   = 0
	msgSendFD = 1
)

// FixedFDNoCloexec is a flag of FIXED_FD_INSTALL.
const FixedFDNoCloexec = 1 << 0

// NopInjectResult is a flag of NOP: Len is the result.
const NopInjectResult = 1 << 0

// FileIndexAlloc as the index of a direct descriptor lets the kernel choose one,
// which is then the result.
const FileIndexAlloc = ^uint32(0)
