package rt

import "context"

// A Group is a number of tasks that belong together, and that somebody waits for. The
// first that returns an error, panics or calls Goexit cancels the others: what they
// wait for fails, see [WithTimeout], so that they can return. The zero Group has
// no tasks and no limit. It must not be copied after first use.
//
//	var g rt.Group
//	for _, a := range addresses {
//		g.Go(fetchAsync(a))
//	}
//	if err := g.Wait(); err != nil {
type Group struct {
	crew  crew
	limit permits
	ctx   context.Context // made when it is asked for; guarded by crew.mu
	end   context.CancelFunc
	stop  func() bool // of the context that the group follows
}

// NewGroup returns a group that is cancelled when ctx ends.
func NewGroup(ctx context.Context) *Group {
	g := new(Group)
	g.ctx, g.end = context.WithCancel(ctx)
	g.crew.onCancel = g.end
	if err := ctx.Err(); err != nil {
		g.crew.cancel(err)
	} else if ctx.Done() != nil {
		g.stop = context.AfterFunc(ctx, func() { g.crew.cancel(ctx.Err()) })
	}
	return g
}

// SetLimit makes Go wait when n tasks of the group are running. It is called before
// the first Go.
func (g *Group) SetLimit(n int) {
	if n <= 0 {
		panic("rt: limit of a Group that is not positive")
	}
	g.crew.limit, g.crew.most = &g.limit, int64(n)
}

// Go starts f as a task of the group, of the same runtime as the calling code. If the
// group has a limit it waits until it may. The group has failed when f has a
// method Result that returns an error, and that is not nil.
func (g *Group) Go(f Future) {
	g.prepare()
	if g.crew.limit != nil {
		g.limit.take(g, 1, g.crew.most)
	}
	g.crew.start(f)
}

// GoFunc is Go of a function, in which everything that waits does so in plain
// form.
func (g *Group) GoFunc(f func() error) { g.Go(&funcFuture{f: f}) }

// prepare makes the first error cancel the others.
func (g *Group) prepare() {
	g.crew.mu.Lock()
	g.crew.failFast = true
	g.crew.mu.Unlock()
}

func (g *Group) withdraw(e *waitEntry) bool { return g.limit.leave(e, g.crew.most) }
func (g *Group) giveBack(*waitEntry)        { g.limit.put(1, g.crew.most) }

// Cancel cancels the tasks of the group, and those that are started later.
func (g *Group) Cancel() { g.crew.cancel(context.Canceled) }

// Context returns a context that ends when the group is cancelled, or when Wait
// returns, for what the tasks call that takes one.
func (g *Group) Context() context.Context {
	c := &g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.ctx == nil {
		g.ctx, g.end = context.WithCancel(context.Background())
		c.onCancel = g.end
		if c.reason != nil {
			g.end()
		}
	}
	return g.ctx
}

// Wait waits until all tasks of the group have finished, and returns the first
// error that one of them returned; if none did, but the group was cancelled,
// it returns why. A panic or Goexit in one of them surfaces in the caller. If
// the calling code is cancelled meanwhile, so is the group.
//
// It is called when all have been started. The group cannot be used again.
func (g *Group) Wait() error {
	f := g.WaitAsync()
	block(f)
	return f.Result()
}

// WaitAsync is the companion of [Group.Wait].
func (g *Group) WaitAsync() *GroupFuture { return &GroupFuture{g: g} }

// A GroupFuture is a [Group.Wait] in progress.
type GroupFuture struct {
	g    *Group
	wait crewWait
}

// Init prepares f to wait for g.
func (f *GroupFuture) Init(g *Group) {
	f.g = g
	f.wait.queued, f.wait.gone = false, false
}

// Poll implements [Future].
func (f *GroupFuture) Poll(cx *Context) bool {
	if !f.wait.over(cx, &f.g.crew) {
		return false
	}
	f.g.release()
	f.g.crew.surface()
	return true
}

// release lets go of contexts.
func (g *Group) release() {
	g.crew.mu.Lock()
	end := g.end
	g.crew.mu.Unlock()
	if g.stop != nil {
		g.stop()
	}
	if end != nil {
		end()
	}
}

// Result returns what [Group.Wait] returns.
func (f *GroupFuture) Result() error {
	c := &f.g.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return c.reason
}

// Cancel implements [Canceler]: the group is cancelled.
func (f *GroupFuture) Cancel(*Context) { f.wait.cancel(&f.g.crew, context.Canceled) }

// Canceled implements [Canceler]. It is always false, since the tasks have run.
func (f *GroupFuture) Canceled() bool { return false }

// GoAsync is the companion of [Group.Go].
func (g *Group) GoAsync(f Future) *GroupGoFuture {
	s := new(GroupGoFuture)
	s.Init(g, f)
	return s
}

// GoFuncAsync is the companion of [Group.GoFunc].
func (g *Group) GoFuncAsync(f func() error) *GroupGoFuture { return g.GoAsync(&funcFuture{f: f}) }

// A GroupGoFuture is a [Group.Go] in progress.
type GroupGoFuture struct {
	leaf
	g      *Group
	future Future
}

// Init prepares s to start f.
func (s *GroupGoFuture) Init(g *Group, f Future) {
	s.g, s.future = g, f
	s.phase = waitIdle
}

// Poll implements [Future].
func (s *GroupGoFuture) Poll(cx *Context) bool {
	g := s.g
	g.prepare()
	if g.crew.limit != nil && !g.limit.poll(cx, &s.leaf, 1, g.crew.most) {
		return false
	}
	if s.phase != waitCanceled {
		g.crew.start(s.future)
	}
	s.future = nil
	return true
}

// Result has nothing to tell; it is there for generated code.
func (s *GroupGoFuture) Result() {}

// Cancel implements [Canceler]. If s was given up, nothing was started.
func (s *GroupGoFuture) Cancel(*Context) { s.cancel(s.g) }

// A funcFuture calls a function.
type funcFuture struct {
	f   func() error
	err error
}

func (f *funcFuture) Poll(*Context) bool {
	f.err = f.f()
	return true
}

func (f *funcFuture) Result() error { return f.err }
