//go:build go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

import (
	"errors"
	"runtime"
	"strings"
	"unsafe"
)

// exchangeEngine switches by exchanging the stacks of two goroutines. Why that is
// sound, and what the rules E1 to E9 are, is the subject of docs/stackful.md.
type exchangeEngine struct{}

func (exchangeEngine) name() string { return "exchange" }

// The assembly is called directly, not through the wrapper that the compiler makes for
// functions of the assembler's calling convention: that saves a frame. It jumps to slow
// through slowFunc.
var (
	switchTo func(r, current *Runner)
	//lint:ignore U1000 the assembly reads it
	slowFunc func(r, current *Runner)
)

// What the Go runtime has for us; see entry_unsafe.go.
var (
	newcoro    func(func(*coro)) *coro
	coroswitch func(*coro)
)

// exchange is [Runner.to].
//
//lint:ignore U1000 it is called by its address
func exchange(r, current *Runner)

// exchangePC returns the address of exchange.
func exchangePC() uintptr

// interpose makes a parked goroutine, which the assembly has left, call the function at pc
// when it goes on, as if it had called that instead: E10. The function has no arguments
// or results.
//
//go:noescape
func interpose(parked, pc uintptr)

// funcAt returns a func value that calls the code at *pc. The value is a pointer
// to a word that holds the address of the code, which is what a func value
// without captured variables is.
func funcAt[F any](pc *uintptr) F { return *(*F)(unsafe.Pointer(&pc)) }

// at is for addresses in what the garbage collector does not move or free.
func at[T any](address uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) }

// thread returns the address of the m that the caller runs on.
func thread() uintptr { return *at[uintptr](identity() + gM) }

// threadLocks returns the counts of LockOSThread calls, and of the runtime's
// own locks, of the thread that the caller is locked to.
func threadLocks() *[2]uint32 { return at[[2]uint32](thread() + mLockedExt) }

func (l lockState) word() uint64 { return uint64(l[0]) | uint64(l[1])<<32 }

type lockState [2]uint32

func (exchangeEngine) equip(r *Runner, main func()) {
	h := hereAsHome()
	if h == nil {
		portable{}.equip(r, main)
		return
	}
	s := &exchangeStack{home: h, runner: r, main: main, pinned: true}
	h.enter()
	s.coro = newcoro(s.start)
	r.stack, r.exchange = s, s
	r.to = switchTo
}

// hereAsHome returns the home that the calling goroutine is, nil if it cannot
// be one: it is not locked to its thread, is on a runner itself, is one of the Go
// runtime's own, is called from C or in a package's initialization (the runtime has
// locked the thread for it then), or is in a bubble of testing/synctest, which counts
// its goroutines.
func hereAsHome() *home {
	me := identity()
	h := runners.find(me)
	if h == nil {
		locks := lockState(*threadLocks())
		if *at[uintptr](me + gLockedm) == 0 || locks[1] != 0 || runtimesOwn(me) {
			return nil
		}
		h = &home{token: me, locks: locks.word()}
	}
	if h.current != nil || *at[uintptr](me + gBubble) != 0 {
		return nil
	}
	return h
}

// runtimesOwn reports whether the Go runtime made the goroutine g for itself. Those
// that run finalizers and cleanups call code of users, are known to the runtime by
// their g, and so must end up with the stack that they have. The main
// goroutine and coroutines, which its functions start as well, need not.
func runtimesOwn(g uintptr) bool {
	f := runtime.FuncForPC(*at[uintptr](g + gStartpc))
	if f == nil {
		return true
	}
	name := f.Name()
	return strings.HasPrefix(name, "runtime.") && name != "runtime.main" && name != "runtime.corostart"
}

// slow makes a switch that the assembly did not: the Go runtime's, which makes
// the goroutine that is blocked on the coro run and blocks the running one.
// The goroutines keep their stacks.
func slow(r, current *Runner) {
	s := r.exchange
	h := s.home
	if h.tally.fast >= flushEvery {
		h.tally.flush()
	}
	why := s.why
	s.why = other
	if current != nil {
		s.resumeSlowly(h, why)
	} else {
		s.suspendSlowly(h, why)
	}
}

func (s *exchangeStack) resumeSlowly(h *home, why uint8) {
	r := s.runner
	if r.ended {
		return
	}
	if !s.started {
		why = first
		s.started = true
	}
	h.token = s.coro.gp
	if s.foreign {
		// None of ours runs next.
		h.token = 0
	}
	s.pinned, s.foreign = r.dying, false
	h.current = r
	h.tally.slow[why]++
	s.byAssembly = false
	coroswitch(s.coro)
	if r.ended {
		s.end()
	}
}

func (s *exchangeStack) suspendSlowly(h *home, why uint8) {
	r := s.runner
	if r.dying {
		runtime.Goexit()
	}
	if me := identity(); me != h.token && runners.find(me) != h {
		s.pinned, s.foreign = true, true
	}
	// E3: the runtime insists on the locks that were there when the coro was
	// made, and home wants its own.
	locks := threadLocks()
	if base := uint32(h.locks); locks[1] == uint32(h.locks>>32) && locks[0] > base {
		s.locks = locks[0] - base
		locks[0] = base
	}
	h.tally.slow[why]++
	h.current = nil
	h.token = s.coro.gp
	s.byAssembly = false
	coroswitch(s.coro)
	if s.locks != 0 {
		threadLocks()[0] += s.locks
		s.locks = 0
	}
	if r.dying {
		runtime.Goexit()
	}
}

// start is what the Go runtime calls on the new stack.
func (s *exchangeStack) start(*coro) {
	runners.add(identity(), s.home)
	returned := false
	defer func() {
		if !returned {
			// A panic goes to home. A Goexit just ends the stack.
			s.value = recover()
			s.panicked = s.value != nil
		}
		s.finish()
	}()
	s.main()
	returned = true
}

// finish is the last that runs on the stack: what follows is the end of the
// running goroutine, and home goes on.
func (s *exchangeStack) finish() {
	h := s.home
	s.runner.ended = true
	s.pinned = true
	s.main = nil
	runners.remove(identity())
	if locks := threadLocks(); locks[0] > uint32(h.locks) {
		locks[0] = uint32(h.locks)
	}
	h.tally.slow[last]++
	h.current = nil
	h.token = s.coro.gp
	if s.byAssembly {
		h.ended = s
		interpose(h.token, reapPC)
	}
}

// reap is called by home, which the assembly had left, when a stack has ended.
func reap() {
	h := runners.find(identity())
	s := h.ended
	h.ended = nil
	s.end()
}

// doom makes the switch to s a slow one, so that suspendSlowly sees that the runner is
// dying; if the assembly has left it, exit takes its place.
func (s *exchangeStack) doom() {
	if s.started && s.byAssembly && !s.runner.ended {
		s.byAssembly = false
		interpose(s.coro.gp, exitPC)
	}
	s.pinned = true
}

func exit() { runtime.Goexit() }

// The reasons why a stack cannot be taken over. There is one value for each because
// asking in vain is usual.
var (
	errNotLocked = errors.New("stackful: cannot take the runner over: the caller is not locked to its thread")
	errForeign   = errors.New("stackful: cannot take the runner over: it waits on a coroutine")
	errLocks     = errors.New("stackful: cannot take the runner over: its code has locked itself to its thread")
)

func (s *exchangeStack) rehome() error {
	h := runners.find(identity())
	if h == nil {
		h = hereAsHome()
	}
	switch {
	case h == nil:
		return errNotLocked
	case h == s.home || s.runner.ended:
		return nil
	case s.foreign:
		return errForeign
	case s.locks != 0:
		return errLocks
	}
	h.enter()
	if s.started {
		runners.set(s.coro.gp, h)
	}
	// The runtime checks that a coro is used where it was made. What it guards
	// is that code which has locked its thread stays there, and this code has not.
	s.coro.mp = thread()
	s.coro.lockedExt, s.coro.lockedInt = uint32(h.locks), uint32(h.locks>>32)
	s.home.leave()
	s.home = h
	return nil
}
