package stackful

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// A suspended runner goes from thread to thread, and all that is on its stack
// with it.
func TestRehome(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		const threads, rounds = 4, 50
		if EngineName() == "portable" {
			r := New(nil, func() {})
			if err := r.Rehome(); err == nil {
				t.Error("a portable runner was moved")
			}
			r.Kill()
			return
		}
		seen := map[int]bool{}
		var r *Runner
		r = New(nil, func() {
			defer func() {
				if recover() != "enough" {
					t.Error("no panic reached the first call")
				}
			}()
			deep(30, func() {
				for range threads * rounds {
					seen[syscall.Gettid()] = true
					if Current() != r {
						t.Error("the runner is not found on another thread")
					}
					r.Suspend()
				}
				panic("enough")
			})
		})
		// The runner is passed around in a circle, this goroutine being the last.
		var links [threads + 1]chan bool
		for i := range links {
			links[i] = make(chan bool)
		}
		var others sync.WaitGroup
		for i := range threads {
			others.Go(func() {
				runtime.LockOSThread()
				own := New(nil, func() {})
				for range rounds {
					<-links[i]
					if err := r.Rehome(); err != nil {
						t.Error(err)
					}
					if !r.Resume() {
						t.Error("the runner has ended")
					}
					links[i+1] <- true
				}
				own.Resume()
			})
		}
		for range rounds {
			links[0] <- true
			<-links[threads]
		}
		others.Wait()
		if err := r.Rehome(); err != nil {
			t.Error(err)
		}
		if r.Resume() {
			t.Error("the runner goes on")
		}
		if len(seen) != threads {
			t.Errorf("the runner was on %d threads", len(seen))
		}
	})
}

// A runner whose code has locked its thread, or waits on a coroutine, stays.
func TestRehomeIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		if EngineName() == "portable" {
			return
		}
		var r *Runner
		r = New(nil, func() {
			runtime.LockOSThread()
			r.Suspend()
			runtime.UnlockOSThread()
			r.Suspend()
		})
		elsewhere := func(lock bool) (err error) {
			var wg sync.WaitGroup
			wg.Go(func() {
				if lock {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
				}
				err = r.Rehome()
			})
			wg.Wait()
			return err
		}
		r.Resume()
		if elsewhere(true) == nil {
			t.Error("a runner that has locked its thread was moved")
		}
		r.Resume()
		if elsewhere(false) == nil {
			t.Error("a runner was moved to a goroutine that is not locked")
		}
		if err := r.Rehome(); err != nil {
			t.Errorf("home cannot be home again: %v", err)
		}
		if r.Resume() {
			t.Error("the runner goes on")
		}
	})
}
