package stackful

// A Pool keeps runners that have nothing to do for their next use, the last
// one first, because its stack is the likeliest to be in the cache. It belongs
// to one home and is used on that thread only.
type Pool struct {
	idle []*Runner
	// Limit is how many runners the pool keeps.
	Limit int
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
	return r
}

// Close ends every runner in the pool. It is called by home.
func (p *Pool) Close() {
	for r := p.Get(); r != nil; r = p.Get() {
		r.Kill()
	}
}
