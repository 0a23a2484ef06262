// Package blocking carries out operations that block the thread they are made
// on, for drivers that have no better way: files under epoll, and whatever a
// ring of the running kernel lacks.
package blocking

import (
	"slices"
	"sync"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// DefaultLimit is the number of operations that a Pool carries out at once if
// nothing else is asked for. Disks want a few dozen requests to choose from; and
// each takes a thread.
const DefaultLimit = 64

// linger is how long a goroutine without work waits for more.
const linger = 2 * time.Second

// A Pool is a bounded number of goroutines that make blocking system calls.
// What exceeds the number waits in a queue, first in, first out. Goroutines are
// started when they are needed and end when they have been idle for a while.
//
// The bound is safe because no operation waits for another: each waits for a
// device at most. What may wait for something that other operations do, such
// as a read of a pipe, must not go through a Pool.
type Pool struct {
	limit int

	mu      sync.Mutex
	jobs    jobs
	idle    []*porter // the last one became idle last
	porters int       // goroutines there are
	closed  bool
}

// A porter is a goroutine of the pool. Whoever takes it off the list of the idle
// tells it so through its channel.
type porter struct{ told chan struct{} }

// NewPool makes a pool that carries out at most limit operations at once, or
// DefaultLimit if limit is 0.
func NewPool(limit int) *Pool {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Pool{limit: limit}
}

// start queues op, which is to go to box when it has ended.
func (p *Pool) start(op *driver.Op, box *Box) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs.add(op, box)
	if n := len(p.idle) - 1; n >= 0 {
		h := p.idle[n]
		p.idle[n] = nil
		p.idle = p.idle[:n]
		h.told <- struct{}{}
		return
	}
	if p.porters < p.limit {
		p.porters++
		go p.carry(&porter{make(chan struct{}, 1)})
	}
}

// cancel takes op out of the queue. It reports false if op has been taken by a
// porter already, or ended.
func (p *Pool) cancel(op *driver.Op) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.jobs.remove(op)
}

// cancelAll takes what came from box out of the queue.
func (p *Pool) cancelAll(box *Box) []*driver.Op {
	p.mu.Lock()
	defer p.mu.Unlock()
	ops := p.jobs.of(box)
	for _, op := range ops {
		p.jobs.remove(op)
	}
	return ops
}

// carry is the goroutine of h.
func (p *Pool) carry(h *porter) {
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for {
		op, box, end := p.next(h)
		if end {
			return
		}
		if op != nil {
			op.Res = Perform(op)
			box.put(op)
			continue
		}
		timer.Reset(linger)
		select {
		case <-h.told:
		case <-timer.C:
			if p.retire(h) {
				return
			}
			<-h.told // it was taken off the list just now
		}
	}
}

// next takes an operation out of the queue. If there is none h is put on the list
// of the idle, or, when the pool is closed, has to end.
func (p *Pool) next(h *porter) (op *driver.Op, box *Box, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	op, box = p.jobs.take()
	if op != nil {
		return op, box, false
	}
	if p.closed {
		p.porters--
		return nil, nil, true
	}
	p.idle = append(p.idle, h)
	return nil, nil, false
}

// retire reports whether h is still idle, and takes it off the list for good.
func (p *Pool) retire(h *porter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, h)
	if i < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	p.porters--
	return true
}

// Close lets the pool's goroutines end. What is queued is still carried out, and
// what is started later, too.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, h := range p.idle {
		h.told <- struct{}{}
	}
	p.idle = nil
}

// Idle returns the number of goroutines that wait for work.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}
