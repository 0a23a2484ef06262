//go:build linux

package uring

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

	{"IORING_OFF_SQ_RING", offSQRing},
	{"IORING_OFF_SQES", offSQEs},
	{"IORING_REGISTER_PROBE", registerProbe},
	{"IO_URING_OP_SUPPORTED", opSupported},
	{"IORING_ENTER_GETEVENTS", enterGetEvents},
	{"IORING_ENTER_EXT_ARG", enterExtArg},
	{"IORING_SQ_CQ_OVERFLOW", sqCQOverflow},
	{"IORING_SQ_TASKRUN", sqTaskrun},
	{"IOSQE_FIXED_FILE", SQEFixedFile},
	{"IOSQE_IO_DRAIN", SQEIODrain},
	{"IOSQE_IO_LINK", SQEIOLink},
	{"IOSQE_IO_HARDLINK", SQEIOHardlink},
	{"IOSQE_ASYNC", SQEAsync},
	{"IOSQE_BUFFER_SELECT", SQEBufferSelect},
	{"IOSQE_CQE_SKIP_SUCCESS", SQECQESkipSuccess},
	{"IORING_CQE_F_BUFFER", CQEBuffer},
	{"IORING_CQE_F_MORE", CQEMore},
	{"IORING_CQE_F_SOCK_NONEMPTY", CQESockNonEmpty},
	{"IORING_CQE_F_NOTIF", CQENotif},
	{"IORING_POLL_ADD_MULTI", PollAddMulti},
	{"IORING_ASYNC_CANCEL_ALL", CancelAll},
	{"IORING_ASYNC_CANCEL_FD", CancelFD},
	{"IORING_ASYNC_CANCEL_ANY", CancelAny},
	{"IORING_RECVSEND_POLL_FIRST", RecvSendPollFirst},
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

// TestLayoutHeader compares with the kernel's header. What the machine's header is
// too old to know is left out by #ifdef; a header that lacks an operation
// (older than Linux 6.0) skips the test.
func TestLayoutHeader(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	if _, err := os.Stat("/usr/include/linux/io_uring.h"); err != nil {
		t.Skip("no kernel header")
	}
	var src bytes.Buffer
	src.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <linux/io_uring.h>\n")
	want := map[string]uint64{}
	show := func(c string, v uint64, macro bool) {
		want[c] = v
		if macro {
			fmt.Fprintf(&src, "#ifdef %s\n", c)
		}
		fmt.Fprintf(&src, "printf(\"%%s=%%llu\\n\", %q, (unsigned long long)(%s));\n", c, c)
		if macro {
			src.WriteString("#endif\n")
		}
	}
	src.WriteString("int main(void) {\n")
	for _, l := range layout {
		show(l.c, uint64(l.size), false)
	}
	for i, n := range setupNames {
		show("IORING_SETUP_"+n, 1<<i, true)
	}
	for i, n := range featureNames {
		show("IORING_FEAT_"+n, 1<<i, true)
	}
	for op, n := range opcodeNames {
		show("IORING_OP_"+n, uint64(op), false)
	}
	src.WriteString("return 0; }\n")

	dir := t.TempDir()
	file, prog := filepath.Join(dir, "abi.c"), filepath.Join(dir, "abi")
	if err := os.WriteFile(file, src.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-o", prog, file).CombinedOutput(); err != nil {
		t.Skipf("the kernel header is too old for the test program: %v\n%s", err, out)
	}
	out, err := exec.Command(prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		w, ok := want[name]
		if !ok {
			t.Fatalf("unexpected output %q", line)
		}
		if value != fmt.Sprint(w) {
			t.Errorf("%s is %s in the kernel header, %d here", name, value, w)
		}
	}
	t.Logf("compared %d of %d values", len(lines), len(want))
}
