//go:build linux

package uring

import (
	"fmt"
	"math/bits"
	"strings"
)

// SetupFlags are the IORING_SETUP_* flags of a ring.
type SetupFlags uint32

// FeatFlags are the IORING_FEAT_* bits that the kernel reports for a ring.
type FeatFlags uint32

// Info is what New got from the kernel.
type Info struct {
	SQEntries uint32
	CQEntries uint32
	Flags     SetupFlags
	Features  FeatFlags

	ops [probeOps / 64]uint64
}

// Supports reports whether the kernel has an operation.
func (i Info) Supports(op Opcode) bool {
	return i.ops[op/64]&(1<<(op%64)) != 0
}

// String describes the ring on one line.
func (i Info) String() string {
	return fmt.Sprintf("sq %d, cq %d, setup %v, features %v, %d operations", i.SQEntries, i.CQEntries, i.Flags, i.Features, i.countOps())
}

var setupNames = [...]string{
	"IOPOLL", "SQPOLL", "SQ_AFF", "CQSIZE", "CLAMP", "ATTACH_WQ", "R_DISABLED",
	"SUBMIT_ALL", "COOP_TASKRUN", "TASKRUN_FLAG", "SQE128", "CQE32",
	"SINGLE_ISSUER", "DEFER_TASKRUN", "NO_MMAP", "REGISTERED_FD_ONLY",
	"NO_SQARRAY", "HYBRID_IOPOLL", "CQE_MIXED",
}

var featureNames = [...]string{
	"SINGLE_MMAP", "NODROP", "SUBMIT_STABLE", "RW_CUR_POS", "CUR_PERSONALITY",
	"FAST_POLL", "POLL_32BITS", "SQPOLL_NONFIXED", "EXT_ARG", "NATIVE_WORKERS",
	"RSRC_TAGS", "CQE_SKIP", "LINKED_FILE", "REG_REG_RING",
	"RECVSEND_BUNDLE", "MIN_TIMEOUT", "RW_ATTR", "NO_IOWAIT",
}

// String returns the kernel's names, separated by |.
func (f SetupFlags) String() string { return bitNames(uint32(f), setupNames[:]) }

// String returns the kernel's names, separated by |.
func (f FeatFlags) String() string { return bitNames(uint32(f), featureNames[:]) }

// bitNames names the bits of v; a bit that is newer than the names is written
// as a number.
func bitNames(v uint32, names []string) string {
	if v == 0 {
		return "0"
	}
	var out []string
	for ; v != 0; v &= v - 1 {
		b := bits.TrailingZeros32(v)
		if b < len(names) {
			out = append(out, names[b])
		} else {
			out = append(out, fmt.Sprintf("1<<%d", b))
		}
	}
	return strings.Join(out, "|")
}
