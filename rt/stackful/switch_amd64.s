//go:build go1.26 && !go1.28 && gc && linux && !race && !msan && !asan && !valgrind && !cogen_portable

#include "go_asm.h"
#include "textflag.h"

// The numbers of runtime.stackPreempt and runtime._Gwaiting.
#define stackPreempt $-1314
#define waiting 4
#define scanWaiting 0x1004

// func exchange(s *exchangeStack)
//
// The rules E1 to E9 are those of docs/stackful.md. It is called by the func
// value switchTo only, as Go functions are called: s is in AX, the running g in
// R14, X15 is zero, and nothing else but SP and BP need be kept.
//
//	AX  s
//	R14 the running g
//	BX  the parked g
TEXT ·exchange(SB), NOSPLIT|NOFRAME, $0-8
	// E1: not while the collector marks.
	CMPL	runtime·writeBarrier(SB), $0
	JNE	isMarking

	// E2: both goroutines are ours to exchange.
	CMPB	exchangeStack_pinned(AX), $0
	JNE	bySlow
	MOVQ	exchangeStack_home(AX), CX
	CMPQ	home_token(CX), R14
	JNE	bySlow
	MOVQ	exchangeStack_coro(AX), BX
	MOVQ	const_coroGp(BX), BX
	CMPL	const_gAtomicstatus(BX), $waiting
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
	MOVBLZX	const_gPaniconfault(R14), CX
	ORB	const_gPaniconfault(BX), CX
	ORB	const_gFipsOnlyBypass(R14), CX
	ORB	const_gFipsOnlyBypass(BX), CX
	ORB	const_gDitWanted(R14), CX
	ORB	const_gDitWanted(BX), CX
	ORL	const_gSig(R14), CX
	ORL	const_gSig(BX), CX
	JNE	bySlow

	// E6: if the execution tracer may be looking, claim the parked g as it would.
	MOVQ	const_gTrace(R14), R9
	MOVL	(const_gTrace+8)(R14), DX
	ORQ	DX, R9
	JNE	claim

claimed:
	// E7: exchange what belongs to a stack.
	MOVQ	const_gStackLo(R14), CX
	MOVQ	const_gStackLo(BX), DX
	MOVQ	CX, const_gStackLo(BX)
	MOVQ	DX, const_gStackLo(R14)
	ADDQ	$const_stackGuard, CX
	ADDQ	$const_stackGuard, DX
	MOVQ	CX, const_gStackguard0(BX)
	CMPQ	const_gStackguard0(R14), stackPreempt
	JEQ	preempted
	MOVQ	DX, const_gStackguard0(R14)

preempted:
	MOVQ	const_gStackHi(R14), CX
	MOVQ	const_gStackHi(BX), DX
	MOVQ	CX, const_gStackHi(BX)
	MOVQ	DX, const_gStackHi(R14)
	MOVQ	const_gStktopsp(R14), CX
	MOVQ	const_gStktopsp(BX), DX
	MOVQ	CX, const_gStktopsp(BX)
	MOVQ	DX, const_gStktopsp(R14)
	MOVQ	const_gPanic(R14), CX
	MOVQ	const_gPanic(BX), DX
	MOVQ	CX, const_gPanic(BX)
	MOVQ	DX, const_gPanic(R14)
	MOVQ	const_gDefer(R14), CX
	MOVQ	const_gDefer(BX), DX
	MOVQ	CX, const_gDefer(BX)
	MOVQ	DX, const_gDefer(R14)
	MOVQ	const_gLabels(R14), CX
	MOVQ	const_gLabels(BX), DX
	MOVQ	CX, const_gLabels(BX)
	MOVQ	DX, const_gLabels(R14)

	// E8: leave a context that gogo could resume, take the one that is there.
	MOVQ	const_gSchedSP(BX), CX
	MOVQ	const_gSchedPC(BX), DX
	MOVQ	const_gSchedBP(BX), SI
	MOVQ	SP, DI
	MOVQ	0(DI), R8
	ADDQ	$8, DI
	MOVQ	DI, const_gSchedSP(BX)
	MOVQ	R8, const_gSchedPC(BX)
	MOVQ	BP, const_gSchedBP(BX)
	TESTQ	R9, R9
	JNE	unclaim

unclaimed:
	MOVQ	SI, BP
	MOVQ	CX, SP
	JMP	DX

claim:
	MOVQ	AX, DX
	MOVL	$waiting, AX
	MOVL	$scanWaiting, CX
	LOCK
	CMPXCHGL	CX, const_gAtomicstatus(BX)
	MOVQ	DX, AX // does not touch the flags
	JEQ	claimed
	JMP	bySlow

unclaim:
	MOVL	$waiting, const_gAtomicstatus(BX)
	JMP	unclaimed

isMarking:
	MOVB	$const_marking, exchangeStack_why(AX)

bySlow:
	// E9: as if switchTo had called slow.
	MOVQ	·slowFunc(SB), DX
	MOVQ	(DX), CX
	JMP	CX

// func exchangePC() uintptr
TEXT ·exchangePC(SB), NOSPLIT, $0-8
	LEAQ	·exchange(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
