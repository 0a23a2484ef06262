//go:build go1.26 && !go1.27

//lint:file-ignore U1000 the assembly uses what nothing else does

package stackful

// Where the fields are that the exchange engine reads and writes, in bytes. A
// test compares the table with the debug information of a binary; the
// assembly refers to it by these names.
const (
	layoutOf = "go1.26"

	// stackGuard is the distance of stackguard0 from stack.lo.
	stackGuard = 928

	gStackLo           = 0   // runtime.g.stack.lo
	gStackHi           = 8   // runtime.g.stack.hi
	gStackguard0       = 16  // runtime.g.stackguard0
	gPanic             = 32  // runtime.g._panic
	gDefer             = 40  // runtime.g._defer
	gM                 = 48  // runtime.g.m
	gSchedSP           = 56  // runtime.g.sched.sp
	gSchedPC           = 64  // runtime.g.sched.pc
	gSchedG            = 72  // runtime.g.sched.g
	gSchedCtxt         = 80  // runtime.g.sched.ctxt
	gSchedLR           = 88  // runtime.g.sched.lr
	gSchedBP           = 96  // runtime.g.sched.bp
	gStktopsp          = 128 // runtime.g.stktopsp
	gAtomicstatus      = 144 // runtime.g.atomicstatus
	gGoid              = 152 // runtime.g.goid
	gPaniconfault      = 181 // runtime.g.paniconfault
	gLockedm           = 208 // runtime.g.lockedm
	gFipsOnlyBypass    = 217 // runtime.g.fipsOnlyBypass
	gDitWanted         = 218 // runtime.g.ditWanted
	gSig               = 224 // runtime.g.sig
	gStartpc           = 304 // runtime.g.startpc
	gLabels            = 352 // runtime.g.labels
	gGoroutineProfiled = 380 // runtime.g.goroutineProfiled
	gBubble            = 392 // runtime.g.bubble
	gTrace             = 408 // runtime.g.trace

	mCurg      = 184 // runtime.m.curg
	mLockedExt = 648 // runtime.m.lockedExt
	mLockedInt = 652 // runtime.m.lockedInt

	coroGp        = 0  // runtime.coro.gp
	coroF         = 8  // runtime.coro.f
	coroMp        = 16 // runtime.coro.mp
	coroLockedExt = 24 // runtime.coro.lockedExt
	coroLockedInt = 28 // runtime.coro.lockedInt
)
