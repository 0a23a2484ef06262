//go:build linux

package uring

// The kernel's structures and constants, from include/uapi/linux/io_uring.h.
// abi_unsafe_test.go compares them with the header of the machine it runs on.

// SQE is a submission queue entry, struct io_uring_sqe. The fields carry the
// kernel's names; where the kernel has a union, the name is that of the use
// that most operations make of it. Prep methods fill an entry.
type SQE struct {
	Opcode      Opcode
	Flags       uint8 // IOSQE_*
	IOPrio      uint16
	FD          int32
	Off         uint64 // also addr2
	Addr        uint64
	Len         uint32
	OpFlags     uint32 // msg_flags, accept_flags, poll32_events, ...
	UserData    uint64
	BufIndex    uint16 // also buf_group
	Personality uint16
	FileIndex   uint32 // also splice_fd_in, addr_len
	Addr3       uint64
	_           uint64
}

// CQE is a completion queue entry, struct io_uring_cqe.
type CQE struct {
	UserData uint64
	Res      int32  // the result, or a negated errno
	Flags    uint32 // CQE_F_*
}

// Timespec is struct __kernel_timespec, the same on every architecture.
type Timespec struct {
	Sec  int64
	Nsec int64
}

// Setup flags, IORING_SETUP_*.
const (
	SetupIOPoll       SetupFlags = 1 << 0
	SetupSQPoll       SetupFlags = 1 << 1
	SetupSQAff        SetupFlags = 1 << 2
	SetupCQSize       SetupFlags = 1 << 3
	SetupClamp        SetupFlags = 1 << 4
	SetupAttachWQ     SetupFlags = 1 << 5
	SetupRDisabled    SetupFlags = 1 << 6
	SetupSubmitAll    SetupFlags = 1 << 7
	SetupCoopTaskrun  SetupFlags = 1 << 8
	SetupTaskrunFlag  SetupFlags = 1 << 9
	SetupSQE128       SetupFlags = 1 << 10
	SetupCQE32        SetupFlags = 1 << 11
	SetupSingleIssuer SetupFlags = 1 << 12
	SetupDeferTaskrun SetupFlags = 1 << 13
	SetupNoMmap       SetupFlags = 1 << 14
	SetupRegFDOnly    SetupFlags = 1 << 15
	SetupNoSQArray    SetupFlags = 1 << 16
	SetupHybridIOPoll SetupFlags = 1 << 17
	SetupCQEMixed     SetupFlags = 1 << 18
)

// Features, IORING_FEAT_*.
const (
	FeatSingleMmap     FeatFlags = 1 << 0
	FeatNoDrop         FeatFlags = 1 << 1
	FeatSubmitStable   FeatFlags = 1 << 2
	FeatRWCurPos       FeatFlags = 1 << 3
	FeatCurPersonality FeatFlags = 1 << 4
	FeatFastPoll       FeatFlags = 1 << 5
	FeatPoll32Bits     FeatFlags = 1 << 6
	FeatSQPollNonfixed FeatFlags = 1 << 7
	FeatExtArg         FeatFlags = 1 << 8
	FeatNativeWorkers  FeatFlags = 1 << 9
	FeatRsrcTags       FeatFlags = 1 << 10
	FeatCQESkip        FeatFlags = 1 << 11
	FeatLinkedFile     FeatFlags = 1 << 12
	FeatRegRegRing     FeatFlags = 1 << 13
	FeatRecvSendBundle FeatFlags = 1 << 14
	FeatMinTimeout     FeatFlags = 1 << 15
	FeatRWAttr         FeatFlags = 1 << 16
	FeatNoIOWait       FeatFlags = 1 << 17
)

// Flags of io_uring_enter.
const (
	enterGetEvents      = 1 << 0
	enterSQWakeup       = 1 << 1
	enterSQWait         = 1 << 2
	enterExtArg         = 1 << 3
	enterRegisteredRing = 1 << 4
	enterNoIOWait       = 1 << 7
)

// Flags that the kernel sets in the submission ring.
const (
	sqNeedWakeup = 1 << 0
	sqCQOverflow = 1 << 1
	sqTaskrun    = 1 << 2
)

// Offsets for mmap. With FeatSingleMmap the first maps both rings.
const (
	offSQRing = 0
	offSQEs   = 0x10000000
)

// params is struct io_uring_params.
type params struct {
	sqEntries    uint32
	cqEntries    uint32
	flags        SetupFlags
	sqThreadCPU  uint32
	sqThreadIdle uint32
	features     FeatFlags
	wqFD         uint32
	_            [3]uint32
	sqOff        sqRingOffsets
	cqOff        cqRingOffsets
}

// sqRingOffsets is struct io_sqring_offsets.
type sqRingOffsets struct {
	head        uint32
	tail        uint32
	ringMask    uint32
	ringEntries uint32
	flags       uint32
	dropped     uint32
	array       uint32
	_           uint32
	_           uint64
}

// cqRingOffsets is struct io_cqring_offsets.
type cqRingOffsets struct {
	head        uint32
	tail        uint32
	ringMask    uint32
	ringEntries uint32
	overflow    uint32
	cqes        uint32
	flags       uint32
	_           uint32
	_           uint64
}

// getEventsArg is struct io_uring_getevents_arg.
type getEventsArg struct {
	sigmask   uint64
	sigmaskSz uint32
	minWait   uint32 // microseconds
	ts        uint64
}
