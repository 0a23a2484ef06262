package stackful

// A Pool keeps runners that have nothing to do for their next use, the last one
// first, because its stack is the likeliest to be in the cache. It belongs to one home and is used on that thread only.
type Pool struct {
	// Limit is how many idle runners the pool keeps.
	Limit int

	idle  []*Runner
	least int // the fewest that were idle since Watch was called
}

// Put keeps r, which is about to suspend itself, and reports whether there
// was room. If not, r should end.
func (p *Pool) Put(r *Runner) bool {
	if len(p.idle) >= p.Limit {
		return false
	}
	p.idle = append(p.idle, r)
	return true
}

// Get takes a runner out of the pool, nil if it is empty.
func (p *Pool) Get() *Runner {
	n := len(p.idle) - 1
	if n < 0 {
		return nil
	}
	r := p.idle[n]
	p.idle[n] = nil
	p.idle = p.idle[:n]
	p.least = min(p.least, n)
	return r
}

// Idle returns how many runners are in the pool.
func (p *Pool) Idle() int { return len(p.idle) }

// Watch begins the time that Surplus is about.
func (p *Pool) Watch() { p.least = len(p.idle) }

// Surplus returns how many runners were idle all the time since Watch, or Shrink, was
// called.
func (p *Pool) Surplus() int { return min(p.least, len(p.idle)) }

// Shrink ends half of the surplus, rounded up, those that were used longest ago, and
// returns how many that is. Called at intervals it lets the pool follow what is
// needed: quickly up, slowly down. It is called by home.
func (p *Pool) Shrink() int { return p.end((p.Surplus() + 1) / 2) }

// Close ends every runner in the pool, and returns how many that is. It is called
// by home.
func (p *Pool) Close() int { return p.end(len(p.idle)) }

// end ends the n runners at the bottom.
func (p *Pool) end(n int) int {
	for _, r := range p.idle[:n] {
		r.Kill()
	}
	left := copy(p.idle, p.idle[n:])
	clear(p.idle[left:])
	p.idle = p.idle[:left]
	p.least = left
	return n
}
