//go:build go1.26 && !go1.28 && gc && linux && !race && !msan && !asan && !valgrind && !cogen_portable

#include "go_asm.h"
#include "textflag.h"

// The numbers of runtime.stackPreempt and runtime._Gwaiting.
#define stackPreempt $-1314
#define waiting 4
#define scanWaiting 0x1004

// func exchange(r, current *Runner)
//
// See switch_amd64.s: the same steps in the same order. It is called by the func
// value in Runner.to only, as Go functions are called: r is in R0, current in R1, and
// nothing else but g, RSP and R29 need be kept.
//
//	R0 r
//	R1 the runner that runs afterwards: r, or nil for home
//	R6 home
//	R9 the exchangeStack of r
//	R8 the parked g
//	g  the running g
TEXT ·exchange(SB), NOSPLIT|NOFRAME, $0-16
	MOVD	Runner_exchange(R0), R9

	// E1: not while the collector marks.
	MOVWU	runtime·writeBarrier(SB), R2
	CBNZ	R2, isMarking

	// E2: both goroutines are ours to exchange.
	MOVBU	exchangeStack_pinned(R9), R2
	CBNZ	R2, bySlow
	MOVD	exchangeStack_home(R9), R6
	MOVD	home_token(R6), R2
	CMP	R2, g
	BNE	bySlow
	MOVD	exchangeStack_coro(R9), R8
	MOVD	const_coroGp(R8), R8
	MOVWU	const_gAtomicstatus(R8), R2
	CMPW	$waiting, R2
	BNE	bySlow

	// E3: the locks of the thread are home's, both halves.
	MOVD	const_gM(g), R2
	MOVD	const_mLockedExt(R2), R2
	MOVD	home_locks(R6), R4
	CMP	R2, R4
	BNE	bySlow

	// E4: no goroutine profile reads stacks.
	MOVWU	const_gGoroutineProfiled(g), R2
	CBNZ	R2, bySlow

	// E5: neither goroutine is in a state that cannot be given away.
	MOVBU	const_gPaniconfault(g), R2
	MOVBU	const_gPaniconfault(R8), R3
	ORR	R3, R2
	MOVBU	const_gFipsOnlyBypass(g), R3
	ORR	R3, R2
	MOVBU	const_gFipsOnlyBypass(R8), R3
	ORR	R3, R2
	MOVBU	const_gDitWanted(g), R3
	ORR	R3, R2
	MOVBU	const_gDitWanted(R8), R3
	ORR	R3, R2
	MOVWU	const_gSig(g), R3
	ORR	R3, R2
	MOVWU	const_gSig(R8), R3
	ORR	R3, R2
	CBNZ	R2, bySlow

	// E6: if the execution tracer may be looking, claim the parked g as it would.
	MOVD	const_gTrace(g), R2
	MOVWU	(const_gTrace+8)(g), R3
	ORR	R3, R2, R7
	CBNZ	R7, claim

claimed:
	// There is no write barrier to be minded: E1.
	MOVD	R1, home_current(R6)
	MOVD	(home_tally+tally_fast)(R6), R2
	ADD	$1, R2
	MOVD	R2, (home_tally+tally_fast)(R6)
	MOVD	$1, R2
	MOVB	R2, exchangeStack_byAssembly(R9)

	// E7: exchange what belongs to a stack.
	MOVD	const_gStackLo(g), R2
	MOVD	const_gStackLo(R8), R3
	MOVD	R2, const_gStackLo(R8)
	MOVD	R3, const_gStackLo(g)
	ADD	$const_stackGuard, R2
	ADD	$const_stackGuard, R3
	MOVD	R2, const_gStackguard0(R8)
	MOVD	const_gStackguard0(g), R2
	MOVD	stackPreempt, R4
	CMP	R2, R4
	BEQ	preempted
	MOVD	R3, const_gStackguard0(g)

preempted:
	MOVD	const_gStackHi(g), R2
	MOVD	const_gStackHi(R8), R3
	MOVD	R2, const_gStackHi(R8)
	MOVD	R3, const_gStackHi(g)
	MOVD	const_gStktopsp(g), R2
	MOVD	const_gStktopsp(R8), R3
	MOVD	R2, const_gStktopsp(R8)
	MOVD	R3, const_gStktopsp(g)
	MOVD	const_gPanic(g), R2
	MOVD	const_gPanic(R8), R3
	MOVD	R2, const_gPanic(R8)
	MOVD	R3, const_gPanic(g)
	MOVD	const_gDefer(g), R2
	MOVD	const_gDefer(R8), R3
	MOVD	R2, const_gDefer(R8)
	MOVD	R3, const_gDefer(g)
	MOVD	const_gLabels(g), R2
	MOVD	const_gLabels(R8), R3
	MOVD	R2, const_gLabels(R8)
	MOVD	R3, const_gLabels(g)

	// E8: leave a context that gogo could resume, take the one that is there.
	MOVD	const_gSchedSP(R8), R4
	MOVD	const_gSchedPC(R8), R5
	MOVD	const_gSchedLR(R8), R3
	MOVD	const_gSchedBP(R8), R6
	MOVD	RSP, R2
	MOVD	R2, const_gSchedSP(R8)
	MOVD	LR, const_gSchedPC(R8)
	MOVD	ZR, const_gSchedLR(R8)
	MOVD	R29, const_gSchedBP(R8)
	CBNZ	R7, unclaim

unclaimed:
	MOVD	R3, LR
	MOVD	R6, R29
	MOVD	R4, RSP
	JMP	(R5)

claim:
	ADD	$const_gAtomicstatus, R8, R2
	MOVD	$scanWaiting, R4

claimAgain:
	LDAXRW	(R2), R3
	CMPW	$waiting, R3
	BNE	bySlow
	STLXRW	R4, (R2), R5
	CBNZ	R5, claimAgain
	B	claimed

unclaim:
	ADD	$const_gAtomicstatus, R8, R2
	MOVD	$waiting, R10
	STLRW	R10, (R2)
	B	unclaimed

isMarking:
	MOVD	$const_marking, R2
	MOVB	R2, exchangeStack_why(R9)

bySlow:
	// E9: as if Runner.to had been slow.
	MOVD	·slowFunc(SB), R26
	MOVD	(R26), R2
	JMP	(R2)

// func exchangePC() uintptr
TEXT ·exchangePC(SB), NOSPLIT, $0-8
	MOVD	$·exchange(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func interpose(parked, pc uintptr)
//
// E10. The claim is that of E6. A return address is in LR when a function begins.
TEXT ·interpose(SB), NOSPLIT, $0-16
	MOVD	parked+0(FP), R8
	MOVD	pc+8(FP), R9
	ADD	$const_gAtomicstatus, R8, R2
	MOVD	$scanWaiting, R4

again:
	LDAXRW	(R2), R3
	CMPW	$waiting, R3
	BNE	again
	STLXRW	R4, (R2), R5
	CBNZ	R5, again
	MOVD	const_gSchedPC(R8), R3
	MOVD	R3, const_gSchedLR(R8)
	MOVD	R9, const_gSchedPC(R8)
	MOVD	$waiting, R3
	STLRW	R3, (R2)
	RET
