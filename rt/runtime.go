package rt

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// A Runtime is a set of workers that run tasks. Most programs use the default
// one, through the functions of the package, and never make another.
type Runtime struct {
	workers  []*worker
	drivers  driverChoice
	turn     atomic.Uint32 // which worker gets the next task that any may have
	monitor  *monitor      // nil without hand-off
	cpus     []int         // the workers' own, in turn; empty for any
	sharing  bool          // workers give tasks to each other
	closing  sync.Once
	closeErr error
}

// New starts a runtime. It must be closed when it is no longer used.
func New(c Config) (*Runtime, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	r := &Runtime{
		drivers: driverChoice{want: c.Driver, pool: blocking.NewPool(c.BlockingCalls)},
		cpus:    c.CPUs,
		sharing: !c.SharedNothing,
	}
	if c.HandOff > 0 {
		r.monitor = newMonitor(c.HandOff)
	}
	for i := range c.Workers {
		if err := r.add(newWorker(r, i)); err != nil {
			if r.monitor != nil {
				close(r.monitor.ended) // it was not started
			}
			r.Close()
			return nil, err
		}
	}
	if r.monitor != nil {
		go r.monitor.watch(r.workers)
	}
	return r, nil
}

// add starts w and makes it one of r's workers.
func (r *Runtime) add(w *worker) error {
	ready := make(chan error)
	go w.run(ready)
	if err := <-ready; err != nil {
		return fmt.Errorf("rt: start worker %d: %w", w.index, err)
	}
	r.workers = append(r.workers, w)
	return nil
}

// pick returns each worker in turn.
func (r *Runtime) pick() *worker {
	if len(r.workers) == 1 {
		return r.workers[0]
	}
	return r.workers[int(r.turn.Add(1)%uint32(len(r.workers)))]
}

// Go starts f as a task of r and returns a handle to it. Called in a task of r it
// prefers the same worker. A panic in f that f does not recover crashes the
// program, as in a goroutine. Go panics with [ErrClosed] if r is closed.
func (r *Runtime) Go(f Future) Task {
	if cx := contextHere(); cx != nil && cx.worker.runtime == r {
		return cx.start(f, nil)
	}
	h, ok := r.pick().spawnFrom(f, nil)
	if !ok {
		panic(ErrClosed)
	}
	return h
}

// Run runs f on r and waits until it has finished. A panic or Goexit in f
// surfaces in the caller. Run panics with [ErrClosed] if r is closed before f
// has finished.
func (r *Runtime) Run(f Future) {
	cx := contextHere()
	switch {
	case cx == nil:
		r.runFrom(f)
	case cx.worker.runtime == r:
		block(f)
	default:
		block(&joinFuture{runtime: r, future: f})
	}
}

// Close stops the workers of r and waits until they have ended. It panics if it
// is called in a task of r, which it would wait for.
//
// Tasks that are still alive are abandoned, much like goroutines at the end of a
// program: they are not polled again, and count as finished. Operations they
// have under way are cancelled, and their buffers are not touched any more when
// Close returns. Of tasks that wait in plain code, the stacks are unwound as by
// runtime.Goexit, so that deferred calls run; of frames they do not run. Who
// waits in Run or Await for an abandoned task panics with [ErrClosed]. So if it
// matters how tasks end, use [Runtime.Shutdown].
func (r *Runtime) Close() error {
	r.mustBeOutside()
	r.closing.Do(func() {
		for _, w := range r.workers {
			w.exec(func() { w.closing = true })
		}
		var errs []error
		for _, w := range r.workers {
			<-w.stopped
			if w.closeErr != nil {
				errs = append(errs, fmt.Errorf("rt: stop worker %d: %w", w.index, w.closeErr))
			}
		}
		if m := r.monitor; m != nil {
			close(m.stop)
			<-m.ended
		}
		if r.drivers.pool != nil {
			r.drivers.pool.Close()
		}
		r.closeErr = errors.Join(errs...)
	})
	return r.closeErr
}

// mustBeOutside panics in tasks of r.
func (r *Runtime) mustBeOutside() {
	if cx := contextHere(); cx != nil && cx.worker.runtime == r {
		panic("rt: a runtime cannot be closed by one of its tasks")
	}
}

// newDriver makes a driver for the calling worker.
func (r *Runtime) newDriver() (driver.Driver, error) {
	d, err := r.drivers.make()
	if err != nil {
		return nil, err
	}
	return check(d), nil
}

// Default returns the default runtime, which is started when it is first
// needed, with the zero [Config], and never closed. It panics if the runtime
// cannot be started.
//
// For goroutines in a simulation (package rttest) it is the simulated runtime.
func Default() *Runtime {
	if r := simulated(); r != nil {
		return r
	}
	return defaultRuntime()
}

var defaultRuntime = sync.OnceValue(func() *Runtime {
	r, err := New(Config{})
	if err != nil {
		panic(err)
	}
	return r
})

// Run runs f as a task and waits until it has finished, and returns f for its
// result. On an ordinary goroutine that is a task of the default runtime. A
// panic or Goexit in f surfaces in the caller.
func Run[F Future](f F) F {
	block(f)
	return f
}

// Go starts f as a task and returns a handle to it: in a task, one of the same
// runtime and preferably the same worker; elsewhere, one of the default
// runtime. Tasks may run in parallel. A panic in f that f does
// not recover crashes the program, as in a goroutine.
func Go(f Future) Task {
	if cx := contextHere(); cx != nil {
		return cx.start(f, nil)
	}
	return Default().Go(f)
}
