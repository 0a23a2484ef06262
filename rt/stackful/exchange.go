package stackful

// A coro is the Go runtime's (runtime/coro.go). It belongs to its runner, and
// always has a goroutine blocked on it: gp.
type coro struct {
	gp uintptr
	//lint:ignore U1000 it is where the runtime has it
	f         func(*coro)
	mp        uintptr
	lockedExt uint32
	lockedInt uint32
}

// An exchangeStack is a stack of the exchange engine. While its runner is
// suspended the goroutine that is blocked on coro wears it; while the runner
// runs, the stack of home.
type exchangeStack struct {
	coro   *coro
	home   *home
	runner *Runner
	main   func()
	// pinned makes the next switch one of the Go runtime's: the stack is new, or
	// a goroutine wears it that must keep it, see foreign.
	pinned bool
	// foreign is set while the runner is suspended by code on a coroutine of its
	// own. That is a goroutine that others know, and that ends with that
	// code: it is not among those that exchange stacks.
	foreign bool
	started bool
	// byAssembly says that the goroutine which is blocked on coro was left by the
	// assembly, and not by coroswitch: what it goes on with is the caller of Runner.to.
	byAssembly bool
	// why is set by the assembly to marking when that is the reason for a slow
	// switch.
	why uint8
	// locks is how many more LockOSThread calls the suspended code is in than
	// home, see E3.
	locks uint32

	panicked bool
	value    any // of the panic
}

// end is called by home, on its stack, when s has ended.
func (s *exchangeStack) end() {
	s.home.tally.flush()
	s.home.leave()
	if s.panicked {
		v := s.value
		s.value = nil
		panic(v)
	}
}
