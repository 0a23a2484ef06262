package rt

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// An offload is the part that futures share which do something on a goroutine
// of their own because it may block: it must not hold the worker up.
type offload struct {
	state   atomic.Uint32 // of the constants below
	outcome outcome       // of the job, read when state is offloadDone
}

const (
	offloadIdle uint32 = iota
	offloadRunning
	offloadDone
)

// A job is a future with an offload, as the goroutine sees it.
type job interface {
	// work does what may block.
	work()
	shared() *offload
}

func (o *offload) shared() *offload { return o }

// reset prepares for another job.
func (o *offload) reset() {
	o.state.Store(offloadIdle)
	o.outcome = outcome{}
}

// begun reports whether the job has been handed to a goroutine.
func (o *offload) begun() bool { return o.state.Load() != offloadIdle }

// begin hands j to a goroutine, which will wake the task in cx.
func (o *offload) begin(cx *Context, j job) {
	o.state.Store(offloadRunning)
	cx.thread.readied = true
	if cx.worker.simulation != nil {
		go perform(j, cx.Waker()) // idle goroutines may be of another bubble
		return
	}
	blockers.do(j, cx.Waker())
}

// poll is Poll of a future that has j done, unless try, which may be nil, can do it
// without blocking.
func (o *offload) poll(cx *Context, j job, try func() bool) bool {
	if o.begun() {
		return o.ended()
	}
	if try != nil {
		if !cx.proceed() {
			return false
		}
		if try() {
			return true
		}
	}
	o.begin(cx, j)
	return false
}

// ended reports whether the job is done. A panic or Goexit in it surfaces here.
func (o *offload) ended() bool {
	if o.state.Load() != offloadDone {
		return false
	}
	o.outcome.surface()
	return true
}

// perform runs j and wakes the task that waits for it. If j leaves by Goexit
// perform does not return.
func perform(j job, waker Waker) {
	o := outcome{kind: exited}
	defer func() {
		if v := recover(); v != nil {
			o = outcome{kind: panicked, crash: newCrash(v)}
		}
		// Once the state says done, j is its owner's again and may be gone.
		shared := j.shared()
		shared.outcome = o
		shared.state.Store(offloadDone)
		waker.Wake()
	}()
	j.work()
	o.kind = returned
}

// blockers are the goroutines that run jobs. There are as many as there are
// jobs under way: a limit would let jobs that wait for each other deadlock.
var blockers blockerPool

const (
	// blockerLinger is how long a goroutine without work waits for more.
	blockerLinger = 2 * time.Second
	// idleBlockers is how many goroutines without work are kept.
	idleBlockers = 256
)

type blockerPool struct {
	mu   sync.Mutex
	idle []*blocker // the last one became idle last
}

// A blocker is a goroutine of the pool.
type blocker struct{ work chan assignment }

type assignment struct {
	job   job
	waker Waker
}

// do has j run by an idle goroutine or a new one.
func (p *blockerPool) do(j job, waker Waker) {
	p.mu.Lock()
	var b *blocker
	if n := len(p.idle) - 1; n >= 0 {
		b = p.idle[n]
		p.idle[n] = nil
		p.idle = p.idle[:n]
	}
	p.mu.Unlock()
	if b != nil {
		b.work <- assignment{j, waker}
		return
	}
	b = &blocker{make(chan assignment, 1)}
	b.work <- assignment{j, waker}
	go p.run(b)
}

// run is the goroutine of b.
func (p *blockerPool) run(b *blocker) {
	linger := time.NewTimer(blockerLinger)
	defer linger.Stop()
	for {
		select {
		case a := <-b.work:
			perform(a.job, a.waker)
			if !p.rest(b) {
				return
			}
			linger.Reset(blockerLinger)
		case <-linger.C:
			if p.retire(b) {
				return
			}
			// It has just been given work.
		}
	}
}

// rest offers b for more work, and reports false if there are enough idle
// goroutines.
func (p *blockerPool) rest(b *blocker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= idleBlockers {
		return false
	}
	p.idle = append(p.idle, b)
	return true
}

// retire withdraws b, and reports false if it is no longer idle.
func (p *blockerPool) retire(b *blocker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, b)
	if i < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}
