//go:build linux

package uring

import (
	"testing"
	"unsafe"
)

// layout lists every size and offset that the kernel and this package must agree
// on, under its C expression.
var layout = []struct {
	c    string
	size uintptr
}{
	{"sizeof(struct io_uring_sqe)", unsafe.Sizeof(SQE{})},
	{"offsetof(struct io_uring_sqe, opcode)", unsafe.Offsetof(SQE{}.Opcode)},
	{"offsetof(struct io_uring_sqe, flags)", unsafe.Offsetof(SQE{}.Flags)},
	{"offsetof(struct io_uring_sqe, ioprio)", unsafe.Offsetof(SQE{}.IOPrio)},
	{"offsetof(struct io_uring_sqe, fd)", unsafe.Offsetof(SQE{}.FD)},
	{"offsetof(struct io_uring_sqe, off)", unsafe.Offsetof(SQE{}.Off)},
	{"offsetof(struct io_uring_sqe, addr)", unsafe.Offsetof(SQE{}.Addr)},
	{"offsetof(struct io_uring_sqe, len)", unsafe.Offsetof(SQE{}.Len)},
	{"offsetof(struct io_uring_sqe, msg_flags)", unsafe.Offsetof(SQE{}.OpFlags)},
	{"offsetof(struct io_uring_sqe, user_data)", unsafe.Offsetof(SQE{}.UserData)},
	{"offsetof(struct io_uring_sqe, buf_index)", unsafe.Offsetof(SQE{}.BufIndex)},
	{"offsetof(struct io_uring_sqe, personality)", unsafe.Offsetof(SQE{}.Personality)},
	{"offsetof(struct io_uring_sqe, splice_fd_in)", unsafe.Offsetof(SQE{}.FileIndex)},
	{"offsetof(struct io_uring_sqe, addr3)", unsafe.Offsetof(SQE{}.Addr3)},

	{"sizeof(struct io_uring_cqe)", unsafe.Sizeof(CQE{})},
	{"offsetof(struct io_uring_cqe, user_data)", unsafe.Offsetof(CQE{}.UserData)},
	{"offsetof(struct io_uring_cqe, res)", unsafe.Offsetof(CQE{}.Res)},
	{"offsetof(struct io_uring_cqe, flags)", unsafe.Offsetof(CQE{}.Flags)},

	{"sizeof(struct __kernel_timespec)", unsafe.Sizeof(Timespec{})},
	{"offsetof(struct __kernel_timespec, tv_nsec)", unsafe.Offsetof(Timespec{}.Nsec)},

	{"sizeof(struct io_uring_params)", unsafe.Sizeof(params{})},
	{"offsetof(struct io_uring_params, sq_entries)", unsafe.Offsetof(params{}.sqEntries)},
	{"offsetof(struct io_uring_params, cq_entries)", unsafe.Offsetof(params{}.cqEntries)},
	{"offsetof(struct io_uring_params, flags)", unsafe.Offsetof(params{}.flags)},
	{"offsetof(struct io_uring_params, sq_thread_cpu)", unsafe.Offsetof(params{}.sqThreadCPU)},
	{"offsetof(struct io_uring_params, sq_thread_idle)", unsafe.Offsetof(params{}.sqThreadIdle)},
	{"offsetof(struct io_uring_params, features)", unsafe.Offsetof(params{}.features)},
	{"offsetof(struct io_uring_params, wq_fd)", unsafe.Offsetof(params{}.wqFD)},
	{"offsetof(struct io_uring_params, sq_off)", unsafe.Offsetof(params{}.sqOff)},
	{"offsetof(struct io_uring_params, cq_off)", unsafe.Offsetof(params{}.cqOff)},

	{"sizeof(struct io_sqring_offsets)", unsafe.Sizeof(sqRingOffsets{})},
	{"offsetof(struct io_sqring_offsets, head)", unsafe.Offsetof(sqRingOffsets{}.head)},
	{"offsetof(struct io_sqring_offsets, tail)", unsafe.Offsetof(sqRingOffsets{}.tail)},
	{"offsetof(struct io_sqring_offsets, ring_mask)", unsafe.Offsetof(sqRingOffsets{}.ringMask)},
	{"offsetof(struct io_sqring_offsets, ring_entries)", unsafe.Offsetof(sqRingOffsets{}.ringEntries)},
	{"offsetof(struct io_sqring_offsets, flags)", unsafe.Offsetof(sqRingOffsets{}.flags)},
	{"offsetof(struct io_sqring_offsets, dropped)", unsafe.Offsetof(sqRingOffsets{}.dropped)},
	{"offsetof(struct io_sqring_offsets, array)", unsafe.Offsetof(sqRingOffsets{}.array)},

	{"sizeof(struct io_cqring_offsets)", unsafe.Sizeof(cqRingOffsets{})},
	{"offsetof(struct io_cqring_offsets, head)", unsafe.Offsetof(cqRingOffsets{}.head)},
	{"offsetof(struct io_cqring_offsets, tail)", unsafe.Offsetof(cqRingOffsets{}.tail)},
	{"offsetof(struct io_cqring_offsets, ring_mask)", unsafe.Offsetof(cqRingOffsets{}.ringMask)},
	{"offsetof(struct io_cqring_offsets, ring_entries)", unsafe.Offsetof(cqRingOffsets{}.ringEntries)},
	{"offsetof(struct io_cqring_offsets, overflow)", unsafe.Offsetof(cqRingOffsets{}.overflow)},
	{"offsetof(struct io_cqring_offsets, cqes)", unsafe.Offsetof(cqRingOffsets{}.cqes)},
	{"offsetof(struct io_cqring_offsets, flags)", unsafe.Offsetof(cqRingOffsets{}.flags)},

	{"sizeof(struct io_uring_getevents_arg)", unsafe.Sizeof(getEventsArg{})},
	{"offsetof(struct io_uring_getevents_arg, sigmask)", unsafe.Offsetof(getEventsArg{}.sigmask)},
	{"offsetof(struct io_uring_getevents_arg, sigmask_sz)", unsafe.Offsetof(getEventsArg{}.sigmaskSz)},
	{"offsetof(struct io_uring_getevents_arg, ts)", unsafe.Offsetof(getEventsArg{}.ts)},

	{"offsetof(struct io_uring_probe, ops)", unsafe.Offsetof(probe{}.ops)},
	{"offsetof(struct io_uring_probe, last_op)", unsafe.Offsetof(probe{}.lastOp)},
	{"offsetof(struct io_uring_probe, ops_len)", unsafe.Offsetof(probe{}.opsLen)},
	{"sizeof(struct io_uring_probe_op)", unsafe.Sizeof(probeOp{})},
	{"offsetof(struct io_uring_probe_op, op)", unsafe.Offsetof(probeOp{}.op)},
	{"offsetof(struct io_uring_probe_op, flags)", unsafe.Offsetof(probeOp{}.flags)},

	{"sizeof(struct io_uring_rsrc_register)", unsafe.Sizeof(rsrcRegister{})},
	{"offsetof(struct io_uring_rsrc_register, nr)", unsafe.Offsetof(rsrcRegister{}.nr)},
	{"offsetof(struct io_uring_rsrc_register, flags)", unsafe.Offsetof(rsrcRegister{}.flags)},
	{"offsetof(struct io_uring_rsrc_register, data)", unsafe.Offsetof(rsrcRegister{}.data)},
	{"offsetof(struct io_uring_rsrc_register, tags)", unsafe.Offsetof(rsrcRegister{}.tags)},
	{"sizeof(struct io_uring_rsrc_update)", unsafe.Sizeof(rsrcUpdate{})},
	{"offsetof(struct io_uring_rsrc_update, offset)", unsafe.Offsetof(rsrcUpdate{}.offset)},
	{"offsetof(struct io_uring_rsrc_update, data)", unsafe.Offsetof(rsrcUpdate{}.data)},
	{"sizeof(struct io_uring_rsrc_update2)", unsafe.Sizeof(rsrcUpdate2{})},
	{"offsetof(struct io_uring_rsrc_update2, offset)", unsafe.Offsetof(rsrcUpdate2{}.offset)},
	{"offsetof(struct io_uring_rsrc_update2, data)", unsafe.Offsetof(rsrcUpdate2{}.data)},
	{"offsetof(struct io_uring_rsrc_update2, tags)", unsafe.Offsetof(rsrcUpdate2{}.tags)},
	{"offsetof(struct io_uring_rsrc_update2, nr)", unsafe.Offsetof(rsrcUpdate2{}.nr)},

	{"sizeof(struct io_uring_sync_cancel_reg)", unsafe.Sizeof(syncCancel{})},
	{"offsetof(struct io_uring_sync_cancel_reg, addr)", unsafe.Offsetof(syncCancel{}.addr)},
	{"offsetof(struct io_uring_sync_cancel_reg, fd)", unsafe.Offsetof(syncCancel{}.fd)},
	{"offsetof(struct io_uring_sync_cancel_reg, flags)", unsafe.Offsetof(syncCancel{}.flags)},
	{"offsetof(struct io_uring_sync_cancel_reg, timeout)", unsafe.Offsetof(syncCancel{}.timeout)},

	{"sizeof(struct io_uring_file_index_range)", unsafe.Sizeof(fileIndexRange{})},
	{"offsetof(struct io_uring_file_index_range, off)", unsafe.Offsetof(fileIndexRange{}.off)},
	{"offsetof(struct io_uring_file_index_range, len)", unsafe.Offsetof(fileIndexRange{}.len)},

	{"sizeof(struct io_uring_buf_reg)", unsafe.Sizeof(bufReg{})},
	{"offsetof(struct io_uring_buf_reg, ring_addr)", unsafe.Offsetof(bufReg{}.ringAddr)},
	{"offsetof(struct io_uring_buf_reg, ring_entries)", unsafe.Offsetof(bufReg{}.ringEntries)},
	{"offsetof(struct io_uring_buf_reg, bgid)", unsafe.Offsetof(bufReg{}.bgid)},
	{"offsetof(struct io_uring_buf_reg, bgid) + 2", unsafe.Offsetof(bufReg{}.flags)},
	{"sizeof(struct io_uring_buf)", unsafe.Sizeof(bufEntry{})},
	{"offsetof(struct io_uring_buf, addr)", unsafe.Offsetof(bufEntry{}.addr)},
	{"offsetof(struct io_uring_buf, len)", unsafe.Offsetof(bufEntry{}.len)},
	{"offsetof(struct io_uring_buf, bid)", unsafe.Offsetof(bufEntry{}.bid)},
	{"offsetof(struct io_uring_buf_ring, tail)", unsafe.Offsetof(bufEntry{}.resv)},

	{"sizeof(struct io_uring_recvmsg_out)", recvmsgHeader},
	{"offsetof(struct io_uring_recvmsg_out, namelen)", 0},
	{"offsetof(struct io_uring_recvmsg_out, controllen)", 4},
	{"offsetof(struct io_uring_recvmsg_out, payloadlen)", 8},
	{"offsetof(struct io_uring_recvmsg_out, flags)", 12},
}

// TestLayoutFixed pins the numbers, so that they are checked on machines
// without a C compiler too.
func TestLayoutFixed(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"SQE", unsafe.Sizeof(SQE{}), 64},
		{"SQE.UserData", unsafe.Offsetof(SQE{}.UserData), 32},
		{"SQE.Addr3", unsafe.Offsetof(SQE{}.Addr3), 48},
		{"CQE", unsafe.Sizeof(CQE{}), 16},
		{"params", unsafe.Sizeof(params{}), 120},
		{"params.sqOff", unsafe.Offsetof(params{}.sqOff), 40},
		{"params.cqOff", unsafe.Offsetof(params{}.cqOff), 80},
		{"getEventsArg", unsafe.Sizeof(getEventsArg{}), 24},
		{"probe", unsafe.Sizeof(probe{}), 16 + 256*8},
		{"OpRecv", uintptr(OpRecv), 27},
		{"OpMsgRing", uintptr(OpMsgRing), 40},
		{"OpSendmsgZC", uintptr(OpSendmsgZC), 48},
		{"SetupNoSQArray", uintptr(SetupNoSQArray), 1 << 16},
		{"FeatNoIOWait", uintptr(FeatNoIOWait), 1 << 17},
		{"enterNoIOWait", enterNoIOWait, 1 << 7},
		{"registerSendMsgRing", registerSendMsgRing, 31},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
}

// TestLayoutHeader compares all of it, and the constants, with the kernel's header.
func TestLayoutHeader(t *testing.T) {
	src := newHeaderTest()
	for _, l := range layout {
		src.show(version{}, l.c, uint64(l.size))
	}
	for _, l := range newerLayout {
		src.show(l.since, l.c, uint64(l.size))
	}
	for _, v := range values {
		src.show(v.since, v.c, v.value)
	}
	for i, n := range setupNames {
		src.showMacro("IORING_SETUP_"+n, 1<<i)
	}
	for i, n := range featureNames {
		src.showMacro("IORING_FEAT_"+n, 1<<i)
	}
	for op, n := range opcodeNames {
		src.show(opcodeSince(Opcode(op)), "IORING_OP_"+n, uint64(op))
	}
	src.run(t)
}

// newerLayout are structures that are not in the header of Linux 6.1.
var newerLayout = []struct {
	since version
	c     string
	size  uintptr
}{
	{version{6, 8}, "sizeof(struct io_uring_buf_status)", unsafe.Sizeof(bufStatus{})},
	{version{6, 8}, "offsetof(struct io_uring_buf_status, buf_group)", unsafe.Offsetof(bufStatus{}.group)},
	{version{6, 8}, "offsetof(struct io_uring_buf_status, head)", unsafe.Offsetof(bufStatus{}.head)},
	{version{6, 9}, "sizeof(struct io_uring_napi)", unsafe.Sizeof(napi{})},
	{version{6, 9}, "offsetof(struct io_uring_napi, busy_poll_to)", unsafe.Offsetof(napi{}.busyPoll)},
	{version{6, 9}, "offsetof(struct io_uring_napi, prefer_busy_poll)", unsafe.Offsetof(napi{}.prefer)},
	{version{6, 13}, "offsetof(struct io_uring_napi, opcode)", unsafe.Offsetof(napi{}.opcode)},
	{version{6, 13}, "offsetof(struct io_uring_napi, op_param)", unsafe.Offsetof(napi{}.param)},
	{version{6, 12}, "sizeof(struct io_uring_clock_register)", unsafe.Sizeof(clockRegister{})},
	{version{6, 12}, "offsetof(struct io_uring_clock_register, clockid)", unsafe.Offsetof(clockRegister{}.id)},
	{version{6, 12}, "offsetof(struct io_uring_getevents_arg, min_wait_usec)", unsafe.Offsetof(getEventsArg{}.minWait)},
}
