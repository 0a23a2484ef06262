package rt

import (
	"testing"
	"time"
)

// What is left of a burst of tasks that wait in plain code goes when the worker has
// nothing to do, and while it is used it stays.
func TestIdleStacksEnd(t *testing.T) {
	const n = 50
	defer func(d time.Duration) { trimInterval = d }(trimInterval)
	// Each thread keeps a stack; so there must be one thread.
	defer func(d time.Duration) { testHandOff = d }(testHandOff)
	testHandOff = -1
	burst := func(r *Runtime) {
		var gate WaitGroup
		gate.Add(1)
		var tasks []Task
		for range n {
			tasks = append(tasks, r.Go(plainly(gate.Wait)))
		}
		waitFor(t, func() bool { return r.Stats().Workers[0].Stacks > n })
		gate.Done()
		for _, task := range tasks {
			task.Wait()
		}
	}
	trimInterval = time.Hour
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		for range 3 {
			burst(r)
			r.Run(newSleeper(time.Millisecond))
			if stacks := r.Stats().Workers[0].Stacks; stacks != n+1 {
				t.Errorf("%d stacks are kept for the next burst, want %d", stacks, n+1)
			}
		}
	})
	trimInterval = time.Millisecond
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		for range 3 {
			burst(r)
			waitFor(t, func() bool { return r.Stats().Workers[0].Stacks == 1 })
		}
	})
}
