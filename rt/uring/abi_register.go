//go:build linux

package uring

// Operations of io_uring_register, IORING_REGISTER_*.
const (
	unregisterBuffers      = 1
	registerFiles          = 2
	unregisterFiles        = 3
	registerFilesUpdate    = 6
	registerProbe          = 8
	registerFiles2         = 13
	registerBuffers2       = 15
	registerBuffersUpdate  = 16
	registerIOWQMaxWorkers = 19
	registerRingFDs        = 20
	unregisterRingFDs      = 21
	registerPbufRing       = 22
	unregisterPbufRing     = 23
	registerSyncCancel     = 24
	registerFileAllocRange = 25
	registerPbufStatus     = 26
	registerNAPI           = 27
	unregisterNAPI         = 28
	registerClock          = 29
	registerSendMsgRing    = 31
	registerResizeRings    = 33
)

// pbufRingInc is a flag of io_uring_buf_reg, IOU_PBUF_RING_INC.
const pbufRingInc = 1 << 1

// rsrcRegisterSparse is IORING_RSRC_REGISTER_SPARSE.
const rsrcRegisterSparse = 1 << 0

// rsrcRegister is struct io_uring_rsrc_register.
type rsrcRegister struct {
	nr    uint32
	flags uint32
	_     uint64
	data  uint64
	tags  uint64
}

// rsrcUpdate is struct io_uring_rsrc_update.
type rsrcUpdate struct {
	offset uint32
	_      uint32
	data   uint64
}

// rsrcUpdate2 is struct io_uring_rsrc_update2.
type rsrcUpdate2 struct {
	offset uint32
	_      uint32
	data   uint64
	tags   uint64
	nr     uint32
	_      uint32
}

// fileIndexRange is struct io_uring_file_index_range.
type fileIndexRange struct {
	off uint32
	len uint32
	_   uint64
}

// napi is struct io_uring_napi.
type napi struct {
	busyPoll uint32 // microseconds
	prefer   uint8
	opcode   uint8
	_        [2]uint8
	param    uint32
	_        uint32
}

// clockRegister is struct io_uring_clock_register.
type clockRegister struct {
	id uint32
	_  [3]uint32
}

// syncCancel is struct io_uring_sync_cancel_reg.
type syncCancel struct {
	addr    uint64
	fd      int32
	flags   uint32
	timeout Timespec
	opcode  uint8
	_       [7]uint8
	_       [3]uint64
}

// bufReg is struct io_uring_buf_reg.
type bufReg struct {
	ringAddr    uint64
	ringEntries uint32
	bgid        uint16
	flags       uint16
	_           [3]uint64
}

// bufStatus is struct io_uring_buf_status.
type bufStatus struct {
	group uint32
	head  uint32
	_     [8]uint32
}

// bufEntry is struct io_uring_buf. The resv of the first entry of a ring is the
// ring's tail.
type bufEntry struct {
	addr uint64
	len  uint32
	bid  uint16
	resv uint16
}

// probeOps is how many opcodes a probe asks about, the kernel's limit.
const probeOps = 256

// opSupported is IO_URING_OP_SUPPORTED.
const opSupported = 1 << 0

// probe is struct io_uring_probe with its flexible array at full length.
type probe struct {
	lastOp uint8
	opsLen uint8
	_      uint16
	_      [3]uint32
	ops    [probeOps]probeOp
}

// probeOp is struct io_uring_probe_op.
type probeOp struct {
	op    uint8
	_     uint8
	flags uint16
	_     uint32
}
