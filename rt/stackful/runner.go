package stackful

import "runtime"

// A Runner is a stack that code runs on, one stretch at a time. See the rules
// in the package's documentation.
type Runner struct {
	stack stack
	data  any
	// dying makes every Suspend unwind the runner instead.
	dying bool
}

// New returns a runner that calls main when it is first resumed. The data is
// the caller's, to be had from [Runner.Data]. New is called by home.
func New(data any, main func()) *Runner {
	r := &Runner{data: data}
	r.stack = current.newStack(func() {
		if r.dying {
			return
		}
		key := identity()
		runners.add(key, r)
		// The entry must be gone before the goroutine is: the Go runtime gives
		// the same g to goroutines that start later.
		defer runners.remove(key)
		main()
	})
	return r
}

// Data returns what was given to [New].
func (r *Runner) Data() any { return r.data }

// Resume runs the code on r until it suspends itself, and then returns true, or
// until it ends, by return or by Goexit, and then returns false. A panic that
// leaves the runner's main function is raised again by Resume.
func (r *Runner) Resume() bool { return r.stack.resume() }

// Suspend sets the running code aside until r is resumed. It is called by the
// code on r. If r has been killed it does not return.
func (r *Runner) Suspend() {
	if !r.dying {
		r.stack.suspend()
	}
	if r.dying {
		runtime.Goexit()
	}
}

// Kill ends r, which is suspended or was never resumed: its code is unwound by
// a Goexit out of Suspend, so that deferred calls run. They cannot wait:
// a Suspend in them unwinds at once. When Kill returns r has ended. It is
// called by home.
func (r *Runner) Kill() {
	r.dying = true
	for r.stack.resume() {
	}
}

// Current returns the runner that the calling code runs on, nil if it is on an
// ordinary goroutine.
func Current() *Runner { return runners.find(identity()) }
