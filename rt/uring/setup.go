//go:build linux

package uring

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// Sizes of a ring when a Config leaves them open.
//
// A ring bounds how much is handed over at a time, not how much is in flight: a
// full submission queue is flushed by one more system call, and completions that
// find no room wait in the kernel (FeatNoDrop). One call for 256 entries costs
// next to nothing for each of them. Completions need more room, because the way
// round a full queue is an allocation in the kernel for each.
//
// Larger would not be free: without CAP_IPC_LOCK the kernel counts rings
// against RLIMIT_MEMLOCK, over all processes of the user, and 8 MiB is the usual
// limit. With these sizes a ring takes 52 KiB, and 150 workers have one each; with
// 1,024 and 4,096 entries no more than 60 would. Where the limit is lower (64 KiB
// before Linux 5.16), New falls back to smaller rings.
const (
	DefaultSQEntries = 256
	DefaultCQEntries = 2048
)

// minEntries is the smallest submission queue worth having: below it New
// reports the kernel's error instead of trying a smaller ring.
const minEntries = 8

// Config says what ring to make. The zero value is a good default.
type Config struct {
	// SQEntries and CQEntries are the sizes of the queues. The kernel rounds
	// them up to powers of two. 0 means DefaultSQEntries and eight times
	// SQEntries. A ring may be smaller when memory is short, see [Ring.Info].
	SQEntries uint32
	CQEntries uint32
	// Without names setup flags not to use though the kernel may have them.
	Without SetupFlags
	// Defer ties the ring to the thread that calls New: the kernel does its part of
	// the work (DEFER_TASKRUN, Linux 6.1) only when that thread enters it to get
	// completions. Without it the kernel does so at the next system call of any kind,
	// and the ring may move to another thread.
	Defer bool
	// SQPoll, if not nil, has a thread of the kernel's look for entries, so that
	// submitting needs no system call while that thread is awake.
	SQPoll *SQPoll
	// Pool is for a driver: it carries out operations that block and that the
	// ring cannot do. It may be shared, and must be there until the driver has
	// been closed. If it is nil the driver makes its own.
	Pool *blocking.Pool

	noMsgRing bool // for tests: wake through an event descriptor
}

// SQPoll configures the kernel's submission thread. It uses a CPU fully while it is
// awake.
type SQPoll struct {
	Idle  time.Duration // after which it sleeps; 0 means a second
	Share *Ring         // the ring whose thread to use, or nil for one of its own
	Pin   bool          // to run on CPU only
	CPU   uint32
}

// A concession is what is given up when the kernel does not know a set of flags, and what
// is tried instead.
type concession struct{ drop, add SetupFlags }

// wanted returns the setup flags that cfg would like best, and what to concede, one after
// the other, the most recent kernel feature first.
func wanted(cfg *Config) (flags SetupFlags, concede []concession) {
	const coop = SetupCoopTaskrun | SetupTaskrunFlag
	flags = SetupClamp | SetupCQSize
	want := func(f, instead SetupFlags) {
		if f &= ^cfg.Without; f != 0 {
			flags |= f
			concede = append(concede, concession{f, instead &^ cfg.Without})
		}
	}
	// Linux 6.6: entries are taken in ring order, without the indirection.
	want(SetupNoSQArray, 0)
	switch {
	case cfg.SQPoll != nil:
		flags |= SetupSQPoll
		if cfg.SQPoll.Pin {
			flags |= SetupSQAff
		}
		if cfg.SQPoll.Share != nil {
			flags |= SetupAttachWQ
		}
		// Its thread has nobody to interrupt; the kernel refuses the flags below.
	case cfg.Defer:
		// Linux 6.1: completions run only when the thread asks for them.
		flags |= coop & SetupTaskrunFlag &^ cfg.Without
		want(SetupSingleIssuer|SetupDeferTaskrun, SetupCoopTaskrun)
		concede = append(concede, concession{drop: coop})
	default:
		// Linux 5.19: completions run when the thread enters the kernel anyway,
		// with no interrupt to force it there; and a flag in the ring that says
		// that some are waiting, so that polling the ring needs no system call.
		// The kernel refuses the second without the first.
		want(coop, 0)
	}
	// Linux 5.18: a bad entry completes with its error and does not stop
	// the entries behind it.
	want(SetupSubmitAll, 0)
	return flags, concede
}

// requiredFeatures are what the code relies on without a fallback; all of them
// are in Linux 5.13.
const requiredFeatures = FeatSingleMmap | // 5.4, one mapping for both rings
	FeatNoDrop | // 5.5, completions are never lost
	FeatSubmitStable | // 5.5, addresses and timeouts are copied at submission
	FeatFastPoll | // 5.7, a waiting socket operation costs no kernel thread
	FeatExtArg | // 5.11, a wait takes a timeout
	FeatRsrcTags // 5.13; stands for multishot poll, which has no bit of its own

// setupFunc is io_uring_setup, replaceable in tests.
type setupFunc func(entries uint32, p *params) (fd int, errno unix.Errno)

// negotiate calls setup until the kernel accepts: without the flags that it
// does not know (EINVAL), and with a smaller ring when memory is short (ENOMEM).
func negotiate(cfg Config, setup setupFunc) (int, params, error) {
	sq := cfg.SQEntries
	if sq == 0 {
		sq = DefaultSQEntries
	}
	cq := cfg.CQEntries
	if cq == 0 {
		cq = sq * (DefaultCQEntries / DefaultSQEntries)
	}
	flags, concede := wanted(&cfg)
	for {
		p := params{flags: flags, cqEntries: max(cq, sq)}
		if q := cfg.SQPoll; q != nil {
			p.sqThreadIdle = uint32(min(q.Idle/time.Millisecond, 1<<31))
			p.sqThreadCPU = q.CPU
			if q.Share != nil {
				p.wqFD = uint32(q.Share.fd)
			}
		}
		fd, errno := setup(sq, &p)
		switch {
		case errno == 0:
			return fd, p, nil
		case errno == unix.EINTR:
		case errno == unix.EINVAL && len(concede) > 0:
			flags = flags&^concede[0].drop | concede[0].add
			concede = concede[1:]
		case errno == unix.ENOMEM && sq/2 >= minEntries:
			sq, cq = sq/2, cq/2
		default:
			return -1, params{}, callError("io_uring_setup", errno)
		}
	}
}

// callError explains the errno of a system call that failed while a ring was being made,
// and wraps it.
func callError(call string, errno unix.Errno) error {
	why := ""
	switch errno {
	case unix.ENOSYS:
		why = " (the kernel has no io_uring, or a seccomp profile hides it)"
	case unix.EPERM, unix.EACCES:
		why = " (forbidden by kernel.io_uring_disabled, a seccomp profile or a security module)"
	case unix.ENOMEM:
		why = " (even for the smallest ring; see ulimit -l)"
	}
	return fmt.Errorf("uring: %s: %w%s", call, errno, why)
}

// enough returns an error if the kernel is too old.
func enough(f FeatFlags) error {
	if missing := requiredFeatures &^ f; missing != 0 {
		return fmt.Errorf("uring: the kernel lacks %v, Linux 5.13 or later is needed: %w", missing, unix.ENOSYS)
	}
	return nil
}

// New sets up a ring. When io_uring cannot be used here the error wraps the
// errno of the system call: ENOSYS (errors.ErrUnsupported), also for kernels
// before 5.13; EPERM or EACCES (fs.ErrPermission); ENOMEM, EMFILE, ENFILE.
func New(cfg Config) (*Ring, error) {
	fd, p, err := negotiate(cfg, sysSetup)
	if err != nil {
		return nil, err
	}
	if err := enough(p.features); err != nil {
		unix.Close(fd)
		return nil, err
	}
	r := &Ring{fd: fd, info: Info{
		SQEntries: p.sqEntries,
		CQEntries: p.cqEntries,
		Flags:     p.flags,
		Features:  p.features,
	}}
	r.enterFD = uintptr(fd)
	r.sqpoll = p.flags&SetupSQPoll != 0
	r.waitFlags = enterGetEvents
	if p.features&FeatNoIOWait != 0 {
		// Waiting for the network is idleness, not disk wait: without this,
		// Linux 6.15 and later count a sleeping ring as iowait.
		r.waitFlags |= enterNoIOWait
	}
	if err := r.mapQueues(&p); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("uring: mmap of the ring: %w", err)
	}
	if err := r.probe(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	// A seccomp profile may allow the set-up and forbid the rest. Better to know that
	// now than when somebody depends on the ring.
	if errno := r.enterNoBlock(0, enterGetEvents); errno != 0 && errno != unix.EINTR {
		return nil, errors.Join(callError("io_uring_enter", errno), r.Close())
	}
	r.enters = 0
	return r, nil
}

// probe asks the kernel which operations it has.
func (r *Ring) probe() error {
	var p probe
	if errno := r.askProbe(&p); errno != 0 {
		return callError("io_uring_register", errno)
	}
	for _, op := range p.ops[:p.opsLen] {
		if op.flags&opSupported != 0 {
			r.info.ops[op.op/64] |= 1 << (op.op % 64)
		}
	}
	return nil
}
