package rt

import (
	"sync"
	"testing"
)

// A script is a future that awaits what step returns, again and again until that
// is nil: a frame with a loop, without its generated code.
type script struct {
	step func() Future
	now  Future
}

func (s *script) Poll(cx *Context) bool {
	for {
		if s.now != nil {
			if !s.now.Poll(cx) {
				return false
			}
			s.now = nil
		}
		if s.now = s.step(); s.now == nil {
			return true
		}
	}
}

// steps returns a script of futures that are made when their turn comes. A nil
// future is left out.
func steps(list ...func() Future) *script {
	return &script{step: func() Future {
		for len(list) > 0 {
			f := list[0]()
			list = list[1:]
			if f != nil {
				return f
			}
		}
		return nil
	}}
}

// A party is one of those who use something together in a test, in one of the three
// forms in which one can wait.
type party struct {
	// async returns a future, for a task.
	async func() Future
	// plain waits in plain form, in a task and on a goroutine.
	plain func()
}

// together has n parties of each form do their things, on tasks of r and on
// goroutines, and waits for all.
func together(t *testing.T, r *Runtime, n int, p party) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() { r.Run(p.async()) })
		all.Go(func() { r.Run(plainly(p.plain)) })
		all.Go(p.plain)
	}
	all.Wait()
}

// loop returns a future that does what body returns n times.
func loop(n int, body func() *script) Future {
	return &script{step: func() Future {
		if n == 0 {
			return nil
		}
		n--
		return body()
	}}
}

// after calls f and awaits nothing.
func after(f func()) func() Future {
	return func() Future {
		f()
		return nil
	}
}
