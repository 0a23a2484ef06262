//go:build linux

package uring

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fakeKernel plays io_uring_setup.
type fakeKernel struct {
	known SetupFlags // other flags are EINVAL
	most  uint32     // larger rings are ENOMEM
	err   unix.Errno // if set, the only answer
	calls int
}

func (k *fakeKernel) setup(entries uint32, p *params) (int, unix.Errno) {
	k.calls++
	switch {
	case k.err != 0:
		return -1, k.err
	case p.flags&^k.known != 0:
		return -1, unix.EINVAL
	case p.flags&SetupTaskrunFlag != 0 && p.flags&(SetupCoopTaskrun|SetupDeferTaskrun) == 0,
		p.flags&SetupDeferTaskrun != 0 && p.flags&SetupSingleIssuer == 0,
		p.flags&SetupSQPoll != 0 && p.flags&(SetupCoopTaskrun|SetupTaskrunFlag|SetupDeferTaskrun) != 0:
		return -1, unix.EINVAL
	case p.flags&SetupCQSize != 0 && p.cqEntries < entries:
		return -1, unix.EINVAL
	case entries > k.most:
		return -1, unix.ENOMEM
	}
	p.sqEntries = entries
	return 3, 0
}

const (
	flags511 = SetupClamp | SetupCQSize
	flags518 = flags511 | SetupSubmitAll
	flags519 = flags518 | SetupCoopTaskrun | SetupTaskrunFlag
	flags66  = flags519 | SetupNoSQArray
)

func TestSetupGivesUpUnknownFlags(t *testing.T) {
	for _, want := range []SetupFlags{flags66, flags519, flags518, flags511} {
		k := &fakeKernel{known: want | SetupSingleIssuer | SetupDeferTaskrun, most: 1 << 15}
		_, p, err := negotiate(Config{}, k.setup)
		if err != nil {
			t.Fatalf("kernel that knows %v: %v", want, err)
		}
		if p.flags != want {
			t.Errorf("kernel that knows %v: got %v", want, p.flags)
		}
		if p.sqEntries != DefaultSQEntries || p.cqEntries != DefaultCQEntries {
			t.Errorf("sizes %d, %d", p.sqEntries, p.cqEntries)
		}
	}
}

func TestSetupOfDeferredRings(t *testing.T) {
	const flags61 = flags518 | SetupTaskrunFlag | SetupSingleIssuer | SetupDeferTaskrun
	for _, c := range []struct{ known, want SetupFlags }{
		{flags66 | flags61, flags61 | SetupNoSQArray},
		{flags519 | flags61, flags61},
		{flags519, flags519},
		{flags518, flags518},
		{flags511, flags511},
	} {
		k := &fakeKernel{known: c.known, most: 1 << 15}
		_, p, err := negotiate(Config{Defer: true}, k.setup)
		if err != nil || p.flags != c.want {
			t.Errorf("kernel that knows %v: got %v, %v", c.known, p.flags, err)
		}
	}
	k := &fakeKernel{known: flags66 | flags61, most: 1 << 15}
	if _, p, err := negotiate(Config{Defer: true, Without: SetupDeferTaskrun | SetupSingleIssuer | SetupTaskrunFlag}, k.setup); err != nil || p.flags&flags61 != flags518 {
		t.Errorf("without: %v, %v", p.flags, err)
	}
}

func TestSetupOfPolledRings(t *testing.T) {
	k := &fakeKernel{known: flags66 | SetupSQPoll | SetupSQAff | SetupAttachWQ, most: 1 << 15}
	q := &SQPoll{Idle: 50 * time.Millisecond, Pin: true, CPU: 1, Share: &Ring{fd: 7}}
	_, p, err := negotiate(Config{SQPoll: q}, k.setup)
	if want := flags518 | SetupNoSQArray | SetupSQPoll | SetupSQAff | SetupAttachWQ; err != nil || p.flags != want {
		t.Errorf("got %v, %v; want %v", p.flags, err, want)
	}
	if p.sqThreadIdle != 50 || p.sqThreadCPU != 1 || p.wqFD != 7 {
		t.Errorf("%+v", p)
	}
}

func TestSetupObeysWithout(t *testing.T) {
	k := &fakeKernel{known: flags66, most: 1 << 15}
	_, p, err := negotiate(Config{Without: SetupNoSQArray | SetupCoopTaskrun}, k.setup)
	if err != nil || p.flags != flags518 {
		t.Errorf("got %v, %v; want %v", p.flags, err, flags518)
	}
}

func TestSetupHalvesWhenMemoryIsShort(t *testing.T) {
	k := &fakeKernel{known: flags519, most: 100}
	_, p, err := negotiate(Config{}, k.setup)
	if err != nil {
		t.Fatal(err)
	}
	if p.sqEntries != 64 || p.cqEntries != 512 || p.flags != flags519 {
		t.Errorf("got %d, %d, %v", p.sqEntries, p.cqEntries, p.flags)
	}
}

func TestSetupErrors(t *testing.T) {
	for _, c := range []struct {
		errno unix.Errno
		is    error
		calls int // at most
	}{
		{unix.ENOSYS, errors.ErrUnsupported, 1},
		{unix.EPERM, fs.ErrPermission, 1},
		{unix.EACCES, fs.ErrPermission, 1},
		{unix.EMFILE, unix.EMFILE, 1},
		{unix.EINVAL, unix.EINVAL, 4},
		{unix.ENOMEM, unix.ENOMEM, 8},
	} {
		k := &fakeKernel{err: c.errno}
		_, _, err := negotiate(Config{}, k.setup)
		if !errors.Is(err, c.is) || !errors.Is(err, c.errno) {
			t.Errorf("%v: error %v", c.errno, err)
		}
		if k.calls > c.calls {
			t.Errorf("%v: %d calls", c.errno, k.calls)
		}
	}
}

func TestSetupRefusesOldKernels(t *testing.T) {
	const linux512 = requiredFeatures &^ FeatRsrcTags
	if err := enough(linux512); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "RSRC_TAGS") {
		t.Errorf("Linux 5.12: %v", err)
	}
	if err := enough(requiredFeatures | FeatNoIOWait | 1<<31); err != nil {
		t.Error(err)
	}
}

func TestInfo(t *testing.T) {
	info := openRing(t, Config{}).Info()
	if info.SQEntries == 0 || info.CQEntries < info.SQEntries || info.Features&requiredFeatures != requiredFeatures {
		t.Errorf("%v", info)
	}
	if !info.Supports(OpRecv) || info.Supports(255) {
		t.Errorf("probe: RECV %v, 255 %v", info.Supports(OpRecv), info.Supports(255))
	}
	t.Log(info)
}

func TestNames(t *testing.T) {
	if got := OpRecv.String() + " " + Opcode(200).String(); got != "RECV OP_200" {
		t.Error(got)
	}
	if got := (SetupCQSize | SetupNoSQArray | 1<<31).String(); got != "CQSIZE|NO_SQARRAY|1<<31" {
		t.Error(got)
	}
	if got := (FeatNoDrop | FeatNoIOWait).String(); got != "NODROP|NO_IOWAIT" {
		t.Error(got)
	}
}
