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
)

// version is a version of the kernel's headers; the zero value is 6.1, the oldest
// that the tests can use.
type version struct{ major, minor int }

// headerTest is a C program that prints values of the kernel's header. CPATH in the
// environment makes the compiler take another one than that of the machine.
type headerTest struct {
	src  bytes.Buffer
	want map[string]uint64
}

func newHeaderTest() *headerTest {
	h := &headerTest{want: map[string]uint64{}}
	h.src.WriteString(`#include <stddef.h>
#include <stdio.h>
#include <linux/version.h>
#include <linux/io_uring.h>
int main(void) {
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
puts("old");
#else
`)
	return h
}

func (h *headerTest) print(c string, v uint64) {
	h.want[c] = v
	fmt.Fprintf(&h.src, "printf(\"%%s=%%llu\\n\", %q, (unsigned long long)(%s));\n", c, c)
}

// show wants the expression c to be v in headers since the given one.
func (h *headerTest) show(since version, c string, v uint64) {
	fmt.Fprintf(&h.src, "#if LINUX_VERSION_CODE >= KERNEL_VERSION(%d, %d, 0)\n", since.major, since.minor)
	h.print(c, v)
	h.src.WriteString("#endif\n")
}

// showMacro wants the macro c to be v if it is defined.
func (h *headerTest) showMacro(c string, v uint64) {
	fmt.Fprintf(&h.src, "#ifdef %s\n", c)
	h.print(c, v)
	h.src.WriteString("#endif\n")
}

func (h *headerTest) run(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to read the kernel's header with")
	}
	h.src.WriteString("#endif\nreturn 0; }\n")
	dir := t.TempDir()
	file, prog := filepath.Join(dir, "abi.c"), filepath.Join(dir, "abi")
	if err := os.WriteFile(file, []byte("#include <linux/io_uring.h>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if exec.Command(cc, "-fsyntax-only", file).Run() != nil {
		t.Skip("no kernel header linux/io_uring.h")
	}
	if err := os.WriteFile(file, h.src.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-o", prog, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) == "old\n" {
		t.Skip("the kernel header is older than Linux 6.1")
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		w, ok := h.want[name]
		if !ok {
			t.Fatalf("unexpected output %q", line)
		}
		if value != fmt.Sprint(w) {
			t.Errorf("%s is %s in the kernel header, %d here", name, value, w)
		}
	}
	t.Logf("compared %d of %d values", len(lines), len(h.want))
}

// opcodeSince is the first header that has an operation, if that is not 6.1.
func opcodeSince(op Opcode) version {
	switch {
	case op >= OpPipe:
		return version{6, 16}
	case op >= OpRecvZC:
		return version{6, 15}
	case op >= OpBind:
		return version{6, 11}
	case op >= OpFtruncate:
		return version{6, 9}
	case op >= OpFixedFDInstall:
		return version{6, 8}
	case op >= OpReadMultishot:
		return version{6, 7}
	}
	return version{}
}

var values = []struct {
	since version
	c     string
	value uint64
}{
	{c: "IORING_OFF_SQ_RING", value: offSQRing},
	{c: "IORING_OFF_SQES", value: offSQEs},
	{c: "IO_URING_OP_SUPPORTED", value: opSupported},

	{c: "IORING_ENTER_GETEVENTS", value: enterGetEvents},
	{c: "IORING_ENTER_SQ_WAKEUP", value: enterSQWakeup},
	{c: "IORING_ENTER_SQ_WAIT", value: enterSQWait},
	{c: "IORING_ENTER_EXT_ARG", value: enterExtArg},
	{c: "IORING_ENTER_REGISTERED_RING", value: enterRegisteredRing},
	{version{6, 15}, "IORING_ENTER_NO_IOWAIT", enterNoIOWait},
	{c: "IORING_SQ_NEED_WAKEUP", value: sqNeedWakeup},
	{c: "IORING_SQ_CQ_OVERFLOW", value: sqCQOverflow},
	{c: "IORING_SQ_TASKRUN", value: sqTaskrun},

	{c: "IOSQE_FIXED_FILE", value: SQEFixedFile},
	{c: "IOSQE_IO_DRAIN", value: SQEIODrain},
	{c: "IOSQE_IO_LINK", value: SQEIOLink},
	{c: "IOSQE_IO_HARDLINK", value: SQEIOHardlink},
	{c: "IOSQE_ASYNC", value: SQEAsync},
	{c: "IOSQE_BUFFER_SELECT", value: SQEBufferSelect},
	{c: "IOSQE_CQE_SKIP_SUCCESS", value: SQECQESkipSuccess},

	{c: "IORING_CQE_F_BUFFER", value: CQEBuffer},
	{c: "IORING_CQE_F_MORE", value: CQEMore},
	{c: "IORING_CQE_F_SOCK_NONEMPTY", value: CQESockNonEmpty},
	{c: "IORING_CQE_F_NOTIF", value: CQENotif},
	{version{6, 12}, "IORING_CQE_F_BUF_MORE", CQEBufMore},
	{c: "IORING_CQE_BUFFER_SHIFT", value: cqeBufferShift},

	{c: "IORING_ACCEPT_MULTISHOT", value: AcceptMultishot},
	{version{6, 10}, "IORING_ACCEPT_DONTWAIT", AcceptDontWait},
	{version{6, 10}, "IORING_ACCEPT_POLL_FIRST", AcceptPollFirst},
	{c: "IORING_RECVSEND_POLL_FIRST", value: RecvSendPollFirst},
	{c: "IORING_RECV_MULTISHOT", value: RecvMultishot},
	{c: "IORING_RECVSEND_FIXED_BUF", value: RecvSendFixedBuf},
	{c: "IORING_SEND_ZC_REPORT_USAGE", value: SendZCReportUsage},
	{version{6, 10}, "IORING_RECVSEND_BUNDLE", RecvSendBundle},
	{version{6, 17}, "IORING_SEND_VECTORIZED", SendVectorized},
	{c: "IORING_NOTIF_USAGE_ZC_COPIED", value: uint64(uint32(NotifCopied & 0xffffffff))},

	{c: "IORING_POLL_ADD_MULTI", value: PollAddMulti},
	{c: "IORING_POLL_UPDATE_EVENTS", value: PollUpdateEvents},
	{c: "IORING_POLL_UPDATE_USER_DATA", value: PollUpdateUserData},
	{c: "IORING_POLL_ADD_LEVEL", value: PollAddLevel},

	{c: "IORING_ASYNC_CANCEL_ALL", value: CancelAll},
	{c: "IORING_ASYNC_CANCEL_FD", value: CancelFD},
	{c: "IORING_ASYNC_CANCEL_ANY", value: CancelAny},
	{c: "IORING_ASYNC_CANCEL_FD_FIXED", value: CancelFDFixed},
	{version{6, 6}, "IORING_ASYNC_CANCEL_USERDATA", CancelUserData},
	{version{6, 6}, "IORING_ASYNC_CANCEL_OP", CancelOp},

	{c: "IORING_TIMEOUT_ABS", value: TimeoutAbs},
	{c: "IORING_TIMEOUT_UPDATE", value: TimeoutUpdate},
	{c: "IORING_TIMEOUT_BOOTTIME", value: TimeoutBoottime},
	{c: "IORING_TIMEOUT_REALTIME", value: TimeoutRealtime},
	{c: "IORING_LINK_TIMEOUT_UPDATE", value: LinkTimeoutUpdate},
	{c: "IORING_TIMEOUT_ETIME_SUCCESS", value: TimeoutETIMESuccess},
	{version{6, 4}, "IORING_TIMEOUT_MULTISHOT", TimeoutMultishot},

	{c: "IORING_FSYNC_DATASYNC", value: FsyncDatasync},
	{c: "SPLICE_F_FD_IN_FIXED", value: SpliceFDInFixed},
	{c: "IORING_MSG_DATA", value: msgData},
	{c: "IORING_MSG_SEND_FD", value: msgSendFD},
	{c: "IORING_MSG_RING_CQE_SKIP", value: MsgRingCQESkip},
	{version{6, 3}, "IORING_MSG_RING_FLAGS_PASS", MsgRingFlagsPass},
	{version{6, 8}, "IORING_FIXED_FD_NO_CLOEXEC", FixedFDNoCloexec},
	{version{6, 10}, "IORING_NOP_INJECT_RESULT", NopInjectResult},
	{c: "IORING_FILE_INDEX_ALLOC", value: uint64(FileIndexAlloc)},

	{c: "IORING_UNREGISTER_BUFFERS", value: unregisterBuffers},
	{c: "IORING_REGISTER_FILES", value: registerFiles},
	{c: "IORING_UNREGISTER_FILES", value: unregisterFiles},
	{c: "IORING_REGISTER_FILES_UPDATE", value: registerFilesUpdate},
	{c: "IORING_REGISTER_PROBE", value: registerProbe},
	{c: "IORING_REGISTER_FILES2", value: registerFiles2},
	{c: "IORING_REGISTER_BUFFERS2", value: registerBuffers2},
	{c: "IORING_REGISTER_BUFFERS_UPDATE", value: registerBuffersUpdate},
	{c: "IORING_REGISTER_IOWQ_MAX_WORKERS", value: registerIOWQMaxWorkers},
	{c: "IORING_REGISTER_RING_FDS", value: registerRingFDs},
	{c: "IORING_UNREGISTER_RING_FDS", value: unregisterRingFDs},
	{c: "IORING_REGISTER_PBUF_RING", value: registerPbufRing},
	{c: "IORING_UNREGISTER_PBUF_RING", value: unregisterPbufRing},
	{c: "IORING_REGISTER_SYNC_CANCEL", value: registerSyncCancel},
	{c: "IORING_REGISTER_FILE_ALLOC_RANGE", value: registerFileAllocRange},
	{version{6, 8}, "IORING_REGISTER_PBUF_STATUS", registerPbufStatus},
	{version{6, 9}, "IORING_REGISTER_NAPI", registerNAPI},
	{version{6, 9}, "IORING_UNREGISTER_NAPI", unregisterNAPI},
	{version{6, 12}, "IORING_REGISTER_CLOCK", registerClock},
	{version{6, 13}, "IORING_REGISTER_SEND_MSG_RING", registerSendMsgRing},
	{version{6, 13}, "IORING_REGISTER_RESIZE_RINGS", registerResizeRings},
	{c: "IORING_RSRC_REGISTER_SPARSE", value: rsrcRegisterSparse},
	{version{6, 12}, "IOU_PBUF_RING_INC", pbufRingInc},
}
