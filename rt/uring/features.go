//go:build linux

package uring

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Feature is something that a ring can do on some kernels only, and that is not an
// operation of its own ([Info.Supports] tells about these).
type Feature uint8

// The features. The comment says since which version Linux has it.
const (
	FeatureBufRing        Feature = iota // 5.19
	FeatureBufRingInc                    // 6.12
	FeatureBundle                        // 6.10
	FeatureAcceptMulti                   // 5.19
	FeatureRecvMulti                     // 6.0
	FeatureCancelFD                      // 5.19
	FeatureSparse                        // 5.19
	FeatureAllocRange                    // 6.0
	FeatureRegisterRingFD                // 5.18
	FeatureCoopTaskrun                   // 5.19
	FeatureDeferTaskrun                  // 6.1
	FeatureNoSQArray                     // 6.6
	FeatureSQPoll                        // 5.11 without privileges
	FeatureResize                        // 6.13
	FeatureLimitWorkers                  // 5.15
	FeatureMinWait                       // 6.12
	FeatureClock                         // 6.12
	FeatureBusyPoll                      // 6.9
	FeatureSendMsgRing                   // 6.13
	FeatureNoIOWait                      // 6.15
	numFeatures
)

// errLacking is what a probe returns that has looked and found nothing.
var errLacking = errors.ErrUnsupported

// probes says how each feature is found out, and what it is called. A probe gets a ring
// of its own, of the kind that most rings are, that is closed afterwards.
var probes = [numFeatures]struct {
	name  string
	since string
	probe func(r *Ring) error
}{
	FeatureBufRing:    {"buffer rings", "5.19", func(r *Ring) error { return probeBufRing(r, false) }},
	FeatureBufRingInc: {"incremental buffer rings", "6.12", func(r *Ring) error { return probeBufRing(r, true) }},
	FeatureBundle:     {"receive bundles", "6.10", hasFeat(FeatRecvSendBundle)},
	// What a kernel of that age is told by, where there is no other sign of it.
	FeatureAcceptMulti:    {"multishot accept", "5.19", hasOp(OpSocket)},
	FeatureRecvMulti:      {"multishot receive", "6.0", hasOp(OpSendZC)},
	FeatureCancelFD:       {"cancellation by descriptor", "5.19", hasOp(OpSocket)},
	FeatureSparse:         {"sparse tables of files and buffers", "5.19", func(r *Ring) error { return r.RegisterBuffers(1) }},
	FeatureAllocRange:     {"allocation ranges of direct descriptors", "6.0", probeAllocRange},
	FeatureRegisterRingFD: {"registered ring descriptors", "5.18", (*Ring).RegisterRingFD},
	FeatureCoopTaskrun:    {"COOP_TASKRUN", "5.19", hasSetup(Config{}, SetupCoopTaskrun)},
	FeatureDeferTaskrun:   {"DEFER_TASKRUN", "6.1", hasSetup(Config{Defer: true}, SetupDeferTaskrun)},
	FeatureNoSQArray:      {"NO_SQARRAY", "6.6", hasSetup(Config{}, SetupNoSQArray)},
	FeatureSQPoll:         {"SQPOLL", "5.11", hasSetup(Config{SQPoll: &SQPoll{Idle: time.Millisecond}}, SetupSQPoll)},
	FeatureResize:         {"resizing", "6.13", probeResize},
	FeatureLimitWorkers:   {"limits for kernel threads", "5.15", func(r *Ring) error { _, _, err := r.LimitWorkers(0, 0); return err }},
	FeatureMinWait:        {"batched waits", "6.12", hasFeat(FeatMinTimeout)},
	FeatureClock:          {"choice of clock", "6.12", func(r *Ring) error { return r.SetClock(unix.CLOCK_MONOTONIC) }},
	FeatureBusyPoll:       {"busy polling of devices", "6.9", func(r *Ring) error { return r.BusyPoll(time.Microsecond, false) }},
	FeatureSendMsgRing:    {"messages without a ring", "6.13", probeSendMsgRing},
	FeatureNoIOWait:       {"waits that are not iowait", "6.15", hasFeat(FeatNoIOWait)},
}

// String says in words what the feature is.
func (f Feature) String() string {
	if f < numFeatures {
		return probes[f].name
	}
	return fmt.Sprintf("feature %d", uint8(f))
}

// Since is the version of Linux that has brought the feature, "6.1" for instance.
func (f Feature) Since() string {
	if f < numFeatures {
		return probes[f].since
	}
	return ""
}

// Features says what the running kernel lets this process do with rings.
type Features struct {
	// Kernel is the kernel's release.
	Kernel string
	// Err says why there are no rings at all, see New; nil if there are.
	Err error
	// Ring is what a ring with the default configuration got.
	Ring Info

	missing [numFeatures]error
}

// Has reports whether a feature is there.
func (f *Features) Has(x Feature) bool { return f.Missing(x) == nil }

// Missing returns nil if a feature is there. Else it says which kernel has it and what
// was found out here, and wraps errors.ErrUnsupported unless something else is in the
// way, a limit for instance.
func (f *Features) Missing(x Feature) error {
	switch {
	case f.Err != nil:
		return f.Err
	case x >= numFeatures:
		return fmt.Errorf("uring: %v: %w", x, errors.ErrUnsupported)
	case f.missing[x] != nil:
		return fmt.Errorf("uring: %v (Linux %s or later): %w", x, x.Since(), f.missing[x])
	}
	return nil
}

// String is a report of a few lines: the ring, the features, the operations.
func (f *Features) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Linux %s\n", f.Kernel)
	if f.Err != nil {
		fmt.Fprintf(&b, "no io_uring: %v\n", f.Err)
		return b.String()
	}
	fmt.Fprintf(&b, "ring: %v\n", f.Ring)
	for x := range numFeatures {
		if err := f.missing[x]; err != nil {
			fmt.Fprintf(&b, "no  %v, which Linux %s has: %v\n", x, x.Since(), err)
		} else {
			fmt.Fprintf(&b, "yes %v\n", x)
		}
	}
	var lacking []string
	for op := range opcodeNames {
		if !f.Ring.Supports(Opcode(op)) {
			lacking = append(lacking, opcodeNames[op])
		}
	}
	if lacking != nil {
		fmt.Fprintf(&b, "no operations %s\n", strings.Join(lacking, ", "))
	}
	return b.String()
}

var probed struct {
	sync.Mutex
	features *Features
}

// Probe finds out what the running kernel lets this process do with rings. It makes some
// small rings the first time, and remembers the answer; but not one that may be
// different the next time, because memory or descriptors were short.
func Probe() *Features {
	probed.Lock()
	defer probed.Unlock()
	if probed.features == nil {
		f := probeAll()
		if f.passing() {
			return f
		}
		probed.features = f
	}
	return probed.features
}

func probeAll() *Features {
	// Some of the rings belong to a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := &Features{Kernel: "unknown"}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	r, err := New(Config{})
	if err != nil {
		f.Err = err
		return f
	}
	f.Ring = r.Info()
	r.Close()
	for x := range numFeatures {
		f.missing[x] = probeOne(probes[x].probe)
	}
	return f
}

func probeOne(probe func(r *Ring) error) error {
	r, err := New(Config{SQEntries: minEntries})
	if err != nil {
		return err
	}
	defer r.Close()
	return probe(r)
}

// passing reports whether what was found may soon be different.
func (f *Features) passing() bool {
	for _, err := range append(f.missing[:], f.Err) {
		for _, errno := range []error{unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EAGAIN} {
			if errors.Is(err, errno) {
				return true
			}
		}
	}
	return false
}

func hasOp(op Opcode) func(r *Ring) error {
	return func(r *Ring) error { return unlessTrue(r.Supports(op)) }
}

func hasFeat(bit FeatFlags) func(r *Ring) error {
	return func(r *Ring) error { return unlessTrue(r.info.Features&bit != 0) }
}

func unlessTrue(ok bool) error {
	if !ok {
		return errLacking
	}
	return nil
}

// hasSetup makes another ring, and looks whether it got the flag.
func hasSetup(cfg Config, flag SetupFlags) func(r *Ring) error {
	cfg.SQEntries = minEntries
	return func(*Ring) error {
		r, err := New(cfg)
		if err != nil {
			return err
		}
		defer r.Close()
		return unlessTrue(r.info.Flags&flag != 0)
	}
}

func probeBufRing(r *Ring, inc bool) error {
	b, err := r.NewBufRing(BufRingConfig{Size: 1, Buffers: 1, Incremental: inc})
	if err != nil {
		return err
	}
	defer b.Close()
	return unlessTrue(b.Incremental() == inc)
}

func probeAllocRange(r *Ring) error {
	if err := r.RegisterFiles(2); err != nil {
		return err
	}
	err := r.AllocateFilesFrom(1, 1)
	if errors.Is(err, unix.EINVAL) {
		return errLacking
	}
	return err
}

func probeResize(*Ring) error {
	r, err := New(Config{SQEntries: minEntries, Defer: true})
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Resize(2*minEntries, 4*minEntries)
}

func probeSendMsgRing(r *Ring) error {
	var e SQE
	e.PrepMsgRing(int32(r.fd), 0, 0)
	switch errno := sysSendMsgRing(&e); errno {
	case 0:
		return nil
	case unix.EINVAL, unix.EBADF: // a ring of the sender's is wanted
		return errLacking
	default:
		return errno
	}
}

// countOps is how many operations the kernel has.
func (i Info) countOps() int {
	n := 0
	for _, w := range i.ops {
		n += bits.OnesCount64(w)
	}
	return n
}
