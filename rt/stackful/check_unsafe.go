//go:build go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// newExchange returns the exchange engine if everything it relies on is as it
// should be.
//
// The order matters: each check only touches what the ones before it have
// shown to be there, so that a surprise is a reason to use the other engine and
// not a crash.
func newExchange() (engine, error) {
	if err := checkVersion(runtime.Version()); err != nil {
		return nil, err
	}
	if err := findEntries(); err != nil {
		return nil, err
	}
	switchPC = exchangePC()
	switchTo = funcAt[func(r, current *Runner)](&switchPC)
	slowFunc = slow
	forReap, forExit := reap, exit
	reapPC, exitPC = code(&forReap), code(&forExit)
	result := make(chan error)
	go func() {
		// The thread is locked twice, to see the count. What is below unlocks
		// again whatever happens.
		runtime.LockOSThread()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer runtime.UnlockOSThread()
		err := checkLayout()
		if err == nil {
			err = checkSwitching()
		}
		result <- err
	}()
	if err := <-result; err != nil {
		return nil, err
	}
	return exchangeEngine{}, nil
}

// checkVersion accepts releases of the version that the layout is of.
func checkVersion(version string) error {
	rest, ok := strings.CutPrefix(version, layoutOf)
	if !ok || rest != "" && rest[0] != '.' || strings.Contains(rest, "X:") {
		return fmt.Errorf("the layout of %s is not known, only that of releases of %s without experiments", version, layoutOf)
	}
	return nil
}

// setLabels sets the profiler labels of the running goroutine.
//
//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(labels unsafe.Pointer)

//go:linkname getLabels runtime/pprof.runtime_getProfLabel
func getLabels() unsafe.Pointer

// checkLayout looks whether the fields in layout_*.go hold what they should, as
// far as that is known. The caller is locked to its thread twice.
func checkLayout() error {
	check := checker{}
	g := identity()
	word := func(offset uintptr) uintptr { return *at[uintptr](g + offset) }

	// The coro's m is one that we have not read from g.
	c := newcoro(func(*coro) {})
	defer coroswitch(c) // the goroutine ends
	equal(&check, "runtime.coro.mp", c.mp, word(gM))
	equal(&check, "runtime.coro.lockedExt", c.lockedExt, 2)
	equal(&check, "runtime.coro.lockedInt", c.lockedInt, 0)
	if check.err != nil {
		return check.err
	}
	m := word(gM)
	equal(&check, "runtime.m.curg", *at[uintptr](m + mCurg), g)
	equal(&check, "runtime.m.lockedExt", *at[uint32](m + mLockedExt), 2)
	equal(&check, "runtime.m.lockedInt", *at[uint32](m + mLockedInt), 0)
	equal(&check, "runtime.g.lockedm", word(gLockedm), m)
	check.stack(g)
	equal(&check, "runtime.g.sched.g", word(gSchedG), g)
	// The collector, or the tracer, may just be looking at a goroutine, or asking it
	// to stop.
	const scan = 1 << 12
	equal(&check, "runtime.g.atomicstatus", *at[uint32](g + gAtomicstatus)&^scan, 2)
	equal(&check, "runtime.g.goid", word(gGoid), goid())
	equal(&check, "runtime.g.bubble", word(gBubble), 0)
	if f := runtime.FuncForPC(word(gStartpc)); f == nil || !strings.Contains(f.Name(), "/stackful.") {
		check.fail("runtime.g.startpc is not the function that this goroutine began with")
	}
	equal(&check, "runtime.g.sig", *at[uint32](g + gSig), 0)
	equal(&check, "runtime.g.paniconfault", *at[bool](g + gPaniconfault), false)

	old, mark := getLabels(), new(int)
	setLabels(unsafe.Pointer(mark))
	equal(&check, "runtime.g.labels", word(gLabels), uintptr(unsafe.Pointer(mark)))
	setLabels(old)
	runtime.KeepAlive(mark)

	equal(&check, "runtime.g._defer", word(gDefer) != 0, deferred(func() bool { return *at[uintptr](identity() + gDefer) != 0 }))
	func() {
		defer func() {
			recover()
		}()
		defer func() { equal(&check, "runtime.g._panic", word(gPanic) != 0, true) }()
		panic("a check")
	}()
	equal(&check, "runtime.g._panic", word(gPanic), 0)

	// The goroutine that waits on the coro has never run, but what the g was before may
	// have been asked to stop.
	p := c.gp
	equal(&check, "the status of the parked g", *at[uint32](p + gAtomicstatus)&^scan, 4)
	if check.err != nil {
		return check.err
	}
	equal(&check, "the parked g's sched.g", *at[uintptr](p + gSchedG), p)
	check.guard(p)
	for moved := true; moved; {
		lo, hi := *at[uintptr](p + gStackLo), *at[uintptr](p + gStackHi)
		sp, top := *at[uintptr](p + gSchedSP), *at[uintptr](p + gStktopsp)
		if moved = *at[uintptr](p + gStackLo) != lo; !moved {
			equal(&check, "the parked g's stack pointers are in its stack", lo < sp && sp <= top && top < hi, true)
		}
	}
	if f := runtime.FuncForPC(*at[uintptr](p + gSchedPC)); f == nil || f.Name() != "runtime.corostart" {
		check.fail("the parked g's sched.pc is not runtime.corostart")
	}
	return check.err
}

// deferred calls f while the list of deferred calls is not empty, which one
// in a loop is on, and returns what f does.
func deferred(f func() bool) (result bool) {
	for range 1 {
		defer func() {}()
	}
	return !f()
}

// A checker keeps the first surprise.
type checker struct{ err error }

func (c *checker) fail(text string) {
	if c.err == nil {
		c.err = errors.New(text)
	}
}

func equal[T comparable](c *checker, what string, got, want T) {
	if got != want {
		c.fail(fmt.Sprintf("%s is %v, want %v", what, got, want))
	}
}

// stack checks the bounds of the running g's stack. The collector can move it between
// any two reads.
func (c *checker) stack(g uintptr) {
	var here byte
	lo := *at[uintptr](g + gStackLo)
	hi, sp := *at[uintptr](g + gStackHi), uintptr(unsafe.Pointer(&here))
	if lo != *at[uintptr](g + gStackLo) {
		c.stack(g)
		return
	}
	equal(c, "the stack pointer is in runtime.g.stack", lo < sp && sp < hi && (hi-lo)&(hi-lo-1) == 0, true)
	c.guard(g)
}

// guard checks g's stackguard0.
func (c *checker) guard(g uintptr) {
	lo := *at[uintptr](g + gStackLo)
	guard := *at[uintptr](g + gStackguard0)
	if lo != *at[uintptr](g + gStackLo) {
		c.guard(g)
		return
	}
	if guard != stackPreempt {
		equal(c, "runtime.g.stackguard0", guard, lo+stackGuard)
	}
}

// stackPreempt is what stackguard0 is if the goroutine is to be preempted.
const stackPreempt = 1<<64 - 1314

// goid returns the number of the running goroutine from its traceback.
func goid() uintptr {
	var buf [64]byte
	var id uintptr
	fmt.Sscanf(string(buf[:runtime.Stack(buf[:], false)]), "goroutine %d ", &id)
	return id
}

// checkSwitching tries the engine: a stack that grows and is collected around
// while others run, deferred calls, and panics. The caller is locked to its
// thread.
func checkSwitching() error {
	check := checker{}
	var r *Runner
	r = newRunner(exchangeEngine{}, nil, func() {
		on := Current()
		equal(&check, "the current runner", on == r, true)
		boxed := new([1 << 10]int)
		onStack := [4]int{1, 2, 3, 4}
		inner := &onStack
		boxed[7] = 7
		r.Suspend()
		grow(20, func() {
			runtime.GC()
			r.Suspend()
		})
		equal(&check, "a value on the stack", *inner, [4]int{1, 2, 3, 4})
		equal(&check, "a value that the stack refers to", boxed[7], 7)
		func() {
			defer func() { equal(&check, "what is recovered", recover(), any("inner")) }()
			for i := range 3 {
				defer func() { r.Suspend(); boxed[i]++ }()
			}
			panic("inner")
		}()
		equal(&check, "deferred calls made", boxed[0]+boxed[1]+boxed[2], 3)
		check.stack(identity())
	})
	resumes := 0
	func() {
		defer func() { equal(&check, "what home recovers", recover(), any("outer")) }()
		for i := range 3 {
			defer func() { resumes += i }()
		}
		for r.Resume() {
			resumes++
			equal(&check, "home's runner", Current() == nil, true)
			if resumes == 2 {
				runtime.GC()
			}
		}
		panic("outer")
	}()
	equal(&check, "resumptions", resumes, 5+3)
	check.stack(identity())
	return check.err
}

// grow calls f with n frames of some size above it.
//
//go:noinline
func grow(n int, f func()) byte {
	var b [512]byte
	if n == 0 {
		f()
	} else {
		b[n%len(b)] = grow(n-1, f)
	}
	return b[n%len(b)]
}
