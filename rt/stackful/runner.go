package stackful

// A Runner is a stack that code runs on, one stretch at a time. See the rules
// in the package's documentation.
type Runner struct {
	// to switches from home to the runner r, and from r to home: current is the
	// runner that runs afterwards, r or nil. It is a field, and does all there is to
	// do, for Resume and Suspend to be so short that the compiler expands them where
	// they are called: each call between a wait and the switch is a return
	// that the processor mispredicts after it.
	to func(r, current *Runner)
	// exchange is the stack if it is one of the exchange engine, else nil.
	exchange *exchangeStack
	stack    stack
	data     any
	// dying makes every Suspend unwind the runner instead.
	dying bool
	// ended is set when the code on the runner has returned, panicked or exited.
	ended bool
}

// New returns a runner that calls main when it is first resumed. The data is
// the caller's, to be had from [Runner.Data]. New is called by home.
func New(data any, main func()) *Runner { return newRunner(chosen().engine, data, main) }

func newRunner(e engine, data any, main func()) *Runner {
	r := &Runner{data: data}
	e.equip(r, func() {
		if !r.dying {
			main()
		}
	})
	return r
}

// Data returns what was given to [New].
func (r *Runner) Data() any { return r.data }

// Resume runs the code on r until it suspends itself, and then returns true, or
// until it ends, by return or by Goexit, and then returns false. A panic that
// leaves the runner's main function is raised again by Resume.
func (r *Runner) Resume() bool {
	r.to(r, r)
	return !r.ended
}

// Suspend sets the running code aside until r is resumed. It is called by the
// code on r. If r has been killed it does not return.
func (r *Runner) Suspend() { r.to(r, nil) }

// Kill ends r, which is suspended or was never resumed: its code is unwound by
// a Goexit out of Suspend, so that deferred calls run. They cannot wait:
// a Suspend in them unwinds at once. When Kill returns r has ended. It is
// called by home.
func (r *Runner) Kill() {
	r.dying = true
	r.stack.doom()
	for r.Resume() {
	}
}

// Rehome makes the home of the calling thread, which like every home is locked to it,
// the home of r, which is suspended. It is called by home or by code on one of its
// runners. Nobody else may use r meanwhile, nor may its former home make or end
// runners.
//
// It fails if r must be resumed on the thread of its former home: always on
// the portable engine, and on exchange if its code has called LockOSThread, or
// waits on a coroutine of iter.Pull. A coroutine that was made on r and is not
// the one that waits goes unnoticed; the Go runtime ends the program when it is
// used on the other thread.
func (r *Runner) Rehome() error { return r.stack.rehome() }

// Current returns the runner that the calling code runs on, nil if it is on an
// ordinary goroutine.
func Current() *Runner {
	if h := runners.find(identity()); h != nil {
		return h.current
	}
	return nil
}
