package rt

import (
	"context"
	"fmt"
	"time"
)

// Shutdown ends r in good order. It cancels all tasks: operations that can fail and
// are under way, and those that tasks begin later, fail with an error that is
// [ErrClosed], accepting connections included, so that tasks return through their own
// error returns and deferred calls. What only cleans up, such as Close, goes on
// working. When all tasks have finished Shutdown closes r as [Runtime.Close]
// does, and returns what that returns.
//
// Tasks that wait in ways that cannot fail (a Lock, a Sleep) or compute do not notice,
// unless they ask [Canceled]. If some are left when ctx ends, Shutdown returns an error
// that says how many and is ctx.Err(). What is left is then ended as by Close, in
// the background; a call of Close waits for that.
//
// Shutdown panics if it is called in a task of r, which it would wait for.
func (r *Runtime) Shutdown(ctx context.Context) error {
	r.mustBeOutside()
	for _, w := range r.workers {
		w.down.Store(true)
		w.exec(w.wakeAll)
	}
	if left, err := r.drain(ctx); err != nil {
		go r.Close()
		return fmt.Errorf("rt: shut down with %d tasks left: %w", left, err)
	}
	return r.Close()
}

// wakeAll has all tasks of w polled, so that they notice that w is down. Those that
// start later find out when they begin to wait.
func (w *worker) wakeAll() {
	for _, t := range w.alive {
		t.wakeLocal()
	}
}

// A census says how many tasks a worker has, and how many have ever finished there.
type census struct {
	alive    int
	finished uint64
}

// drain waits until r has no tasks. If ctx ends first it returns how many there are
// and the error of ctx.
//
// Tasks start others on any worker, so workers that were counted one after the other
// may all have been empty with a task running all the time. But if all are found
// empty twice, and no task has finished between a worker's two counts, there was none
// when the first round ended: it would have been started, by a task that was on a worker
// counted later, on one counted before, and would have been found there by the second
// round, either alive or as one more that has finished.
func (r *Runtime) drain(ctx context.Context) (left int, err error) {
	pause := 50 * time.Microsecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var last []census
	for {
		now, err := r.count(ctx)
		if err != nil {
			return r.Stats().Tasks(), err
		}
		left = 0
		same := last != nil
		for i, c := range now {
			left += c.alive
			same = same && c == last[i]
		}
		if left == 0 && same {
			return 0, nil
		}
		if last = now; left == 0 {
			continue
		}
		last = nil
		timer.Reset(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, 20*time.Millisecond)
		case <-ctx.Done():
			return left, ctx.Err()
		}
	}
}

// count takes the census of all workers.
func (r *Runtime) count(ctx context.Context) ([]census, error) {
	all := make([]census, len(r.workers))
	for i, w := range r.workers {
		counted := make(chan census, 1)
		if !w.exec(func() {
			counted <- census{len(w.alive) + int(w.in.starting.Load()), w.count.finished}
		}) {
			continue // it has been closed meanwhile
		}
		select {
		case all[i] = <-counted:
		case <-w.stopped:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return all, nil
}
