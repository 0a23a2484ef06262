package stackful

import (
	"errors"
	"iter"
	"runtime"
)

// portable switches by iter.Pull. It works on every architecture and under the
// race detector, which sees every switch as a synchronisation.
type portable struct{}

func (portable) name() string { return "portable" }

func (portable) equip(r *Runner, main func()) {
	s := new(pullStack)
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		key := identity()
		runners.add(key, &home{current: r})
		// The entry must be gone before the goroutine is: the Go runtime gives
		// the same g to goroutines that start later.
		defer runners.remove(key)
		s.run(main)
	})
	r.stack = s
	r.to = pull
}

// pull is [Runner.to].
func pull(r, current *Runner) {
	s := r.stack.(*pullStack)
	if current != nil {
		r.ended = !s.resume()
		return
	}
	if r.dying {
		runtime.Goexit()
	}
	s.yield(struct{}{})
	if r.dying {
		runtime.Goexit()
	}
}

// A pullStack is a coroutine of iter.Pull. Its stop function is not used: it
// could only make yield return early, and ending a stack is the business of
// [Runner.Kill], which unwinds it with Goexit.
type pullStack struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	// exited is set when main was left by Goexit.
	exited bool
}

// goexit is the panic that stands in for a Goexit, see run.
type goexit struct{}

// run calls main, and keeps a Goexit in it from reaching home.
//
// iter.Pull hands a Goexit of the coroutine on to the caller of next, which
// would end the worker. A panic raised by a deferred call while the Goexit
// unwinds takes its place as far as iter.Pull is concerned: it recovers the
// panic, and next raises that, which resume can recover. The coroutine's own
// goroutine goes on exiting, as the Goexit was not undone.
func (s *pullStack) run(main func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			panic(v)
		}
		s.exited = true
		panic(goexit{})
	}()
	main()
	returned = true
}

// resume switches from home to the stack, and returns true when the code there suspends
// itself, false when it has ended. A panic that leaves main is raised again.
func (s *pullStack) resume() (alive bool) {
	defer func() {
		if s.exited {
			recover()
			alive = false
		}
	}()
	_, alive = s.next()
	totals.portable.Add(2)
	return alive
}

var errPortableStays = errors.New("stackful: cannot take the runner over: a portable stack stays with its thread")

func (s *pullStack) rehome() error { return errPortableStays }

func (s *pullStack) doom() {}
