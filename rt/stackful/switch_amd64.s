//go:build go1.26 && !go1.28 && gc && linux && !race && !msan && !asan && !valgrind && !cogen_portable

#include "go_asm.h"
#include "textflag.h"

// The numbers of runtime.stackPreempt and runtime._Gwaiting.
#define stackPreempt $-1314
#define waiting 4
#define scanWaiting 0x1004

// func exchange(r, current *Runner)
//
// The rules E1 to E9 are those of docs/stackful.md. It is called by the func value in
// Runner.to only, as Go functions are called: r is in AX, current in BX, the running g
// in R14, X15 is zero, and nothing else but SP and BP need be kept.
//
//	AX  r
//	BX  the runner that runs afterwards: r, or nil for home
//	CX  home
//	DI  the exchangeStack of r
//	R8  the parked g
//	R14 the running g
TEXT ·exchange(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ	Runner_exchange(AX), DI

	// E1: not while the collector marks.
	CMPL	runtime·writeBarrier(SB), $0
	JNE	isMarking

	// E2: both goroutines are ours to exchange.
	CMPB	exchangeStack_pinned(DI), $0
	JNE	bySlow
	MOVQ	exchangeStack_home(DI), CX
	CMPQ	home_token(CX), R14
	JNE	bySlow
	MOVQ	exchangeStack_coro(DI), R8
	MOVQ	const_coroGp(R8), R8
	CMPL	const_gAtomicstatus(R8), $waiting
	JNE	bySlow

	// E3: the locks of the thread are home's, both halves.
	MOVQ	const_gM(R14), DX
	MOVQ	const_mLockedExt(DX), DX
	CMPQ	home_locks(CX), DX
	JNE	bySlow

	// E4: no goroutine profile reads stacks.
	CMPL	const_gGoroutineProfiled(R14), $0
	JNE	bySlow

	// E5: neither goroutine is in a state that cannot be given away.
	MOVBLZX	const_gPaniconfault(R14), DX
	ORB	const_gPaniconfault(R8), DX
	ORB	const_gFipsOnlyBypass(R14), DX
	ORB	const_gFipsOnlyBypass(R8), DX
	ORB	const_gDitWanted(R14), DX
	ORB	const_gDitWanted(R8), DX
	ORL	const_gSig(R14), DX
	ORL	const_gSig(R8), DX
	JNE	bySlow

	// E6: if the execution tracer may be looking, claim the parked g as it would.
	MOVQ	const_gTrace(R14), R9
	MOVL	(const_gTrace+8)(R14), DX
	ORQ	DX, R9
	JNE	claim

claimed:
	// There is no write barrier to be minded: E1.
	MOVQ	BX, home_current(CX)
	INCQ	(home_tally+tally_fast)(CX)
	MOVB	$1, exchangeStack_byAssembly(DI)

	// E7: exchange what belongs to a stack.
	MOVQ	const_gStackLo(R14), CX
	MOVQ	const_gStackLo(R8), DX
	MOVQ	CX, const_gStackLo(R8)
	MOVQ	DX, const_gStackLo(R14)
	ADDQ	$const_stackGuard, CX
	ADDQ	$const_stackGuard, DX
	MOVQ	CX, const_gStackguard0(R8)
	CMPQ	const_gStackguard0(R14), stackPreempt
	JEQ	preempted
	MOVQ	DX, const_gStackguard0(R14)

preempted:
	MOVQ	const_gStackHi(R14), CX
	MOVQ	const_gStackHi(R8), DX
	MOVQ	CX, const_gStackHi(R8)
	MOVQ	DX, const_gStackHi(R14)
	MOVQ	const_gStktopsp(R14), CX
	MOVQ	const_gStktopsp(R8), DX
	MOVQ	CX, const_gStktopsp(R8)
	MOVQ	DX, const_gStktopsp(R14)
	MOVQ	const_gPanic(R14), CX
	MOVQ	const_gPanic(R8), DX
	MOVQ	CX, const_gPanic(R8)
	MOVQ	DX, const_gPanic(R14)
	MOVQ	const_gDefer(R14), CX
	MOVQ	const_gDefer(R8), DX
	MOVQ	CX, const_gDefer(R8)
	MOVQ	DX, const_gDefer(R14)
	MOVQ	const_gLabels(R14), CX
	MOVQ	const_gLabels(R8), DX
	MOVQ	CX, const_gLabels(R8)
	MOVQ	DX, const_gLabels(R14)

	// E8: leave a context that gogo could resume, take the one that is there.
	MOVQ	const_gSchedSP(R8), CX
	MOVQ	const_gSchedPC(R8), DX
	MOVQ	const_gSchedBP(R8), SI
	MOVQ	SP, DI
	MOVQ	0(DI), R10
	ADDQ	$8, DI
	MOVQ	DI, const_gSchedSP(R8)
	MOVQ	R10, const_gSchedPC(R8)
	MOVQ	BP, const_gSchedBP(R8)
	TESTQ	R9, R9
	JNE	unclaim

unclaimed:
	MOVQ	SI, BP
	MOVQ	CX, SP
	JMP	DX

claim:
	MOVQ	AX, R10
	MOVL	$waiting, AX
	MOVL	$scanWaiting, DX
	LOCK
	CMPXCHGL	DX, const_gAtomicstatus(R8)
	MOVQ	R10, AX // does not touch the flags
	JEQ	claimed
	JMP	bySlow

unclaim:
	MOVL	$waiting, const_gAtomicstatus(R8)
	JMP	unclaimed

isMarking:
	MOVB	$const_marking, exchangeStack_why(DI)

bySlow:
	// E9: as if Runner.to had been slow.
	MOVQ	·slowFunc(SB), DX
	MOVQ	(DX), CX
	JMP	CX

// func exchangePC() uintptr
TEXT ·exchangePC(SB), NOSPLIT, $0-8
	LEAQ	·exchange(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func interpose(parked, pc uintptr)
//
// E10. The claim is that of E6. Where the call of exchange had left its return address
// there may be anything by now: the stack may have moved since.
TEXT ·interpose(SB), NOSPLIT, $0-16
	MOVQ	parked+0(FP), R8
	MOVQ	pc+8(FP), R9
	MOVL	$scanWaiting, DX

again:
	MOVL	$waiting, AX
	LOCK
	CMPXCHGL	DX, const_gAtomicstatus(R8)
	JEQ	claimed
	PAUSE
	JMP	again

claimed:
	MOVQ	const_gSchedSP(R8), CX
	MOVQ	const_gSchedPC(R8), BX
	SUBQ	$8, CX
	MOVQ	BX, 0(CX)
	MOVQ	CX, const_gSchedSP(R8)
	MOVQ	R9, const_gSchedPC(R8)
	MOVL	$waiting, const_gAtomicstatus(R8)
	RET
