package rt

import (
	"context"
	"sync/atomic"
	"time"
)

// Cancelling code that waits follows Go: its operations fail, and it returns through
// its own error returns and deferred calls. What is cancelled is a scope: a future
// with everything that is polled in it, in plain form too. Operations ask
// [Context.canceled] when they begin and when they are polled; cancelling a scope
// wakes its task so that they are polled.
//
// Operations with an error result fail then. A [Select] returns -1. Others have no
// way to tell, so they do not end early in code that may be cancelled: a Lock that
// returned without the lock would break its caller. WithTimeout and WithContext of
// such a leaf itself do give it up, and Canceled says so.

// A scope is a part of a task that can be cancelled as a whole.
type scope struct {
	parent *scope // the scope around it in the same task
	waker  Waker  // of the task
	state  atomic.Uint32
	err    error // why, once state is scopeCanceled
}

const (
	scopeOpen uint32 = iota
	scopeCanceling
	scopeCanceled
)

// cancel makes what waits in s fail with err. Any thread may call it. Calls after
// the first do nothing.
func (s *scope) cancel(err error) {
	if s.state.CompareAndSwap(scopeOpen, scopeCanceling) {
		s.err = err
		s.state.Store(scopeCanceled)
		s.waker.Wake()
	}
}

// reason returns why s was cancelled, nil if it was not.
func (s *scope) reason() error {
	if s.state.Load() == scopeCanceled {
		return s.err
	}
	return nil
}

// canceled returns why the code that is polled is to end, nil if it is not.
func (cx *Context) canceled() error {
	for s := cx.scope; s != nil; s = s.parent {
		if err := s.reason(); err != nil {
			return err
		}
	}
	if cx.worker.down.Load() {
		return ErrClosed
	}
	return nil
}

// Canceled returns an error if the calling code is part of something that has been
// cancelled: by [WithTimeout] or [WithContext], in a [Group] or in a [Race], or by
// [Runtime.Shutdown]. It is for code that computes for a long time, or waits in ways that cannot fail.
func Canceled() error {
	if cx := contextHere(); cx != nil {
		return cx.canceled()
	}
	return nil
}

// poll polls f in s. A leaf that does not see by itself that it is cancelled is
// given up.
func (s *scope) poll(cx *Context, f Future) bool {
	outer := cx.scope
	// Also when f panics, or Goexit unwinds it.
	defer func() { cx.scope = outer }()
	s.parent = outer
	cx.scope = s
	if f.Poll(cx) {
		return true
	}
	if c, ok := f.(Canceler); ok && cx.canceled() != nil {
		c.Cancel(cx)
		return f.Poll(cx)
	}
	return false
}

// WithTimeout waits for f, for d at most, and returns it, so that one writes
//
//	n, err := rt.WithTimeout(time.Second, conn.ReadAsync(buf)).Result()
//
// When the time is up the operation that f waits for fails, and all that f begins
// later, with an error that is [context.DeadlineExceeded]; WithTimeout returns when
// f has returned. If f itself is a leaf without an error, such as a
// [LockFuture], its Canceled method tells whether it was given up.
func WithTimeout[F Future](d time.Duration, f F) F {
	block(WithTimeoutAsync(d, f))
	return f
}

// WithTimeoutAsync is the companion of [WithTimeout]. The time starts to run when
// the future is first polled.
func WithTimeoutAsync[F Future](d time.Duration, f F) *TimeoutFuture[F] {
	return &TimeoutFuture[F]{duration: d, future: f}
}

// A TimeoutFuture is a [WithTimeout] in progress.
type TimeoutFuture[F Future] struct {
	scope    scope
	timer    timer
	duration time.Duration
	future   F
	begun    bool
}

// Init prepares t to wait for f.
func (t *TimeoutFuture[F]) Init(d time.Duration, f F) {
	t.duration, t.future = d, f
	t.begun = false
	t.scope.state.Store(scopeOpen)
}

// Poll implements [Future].
func (t *TimeoutFuture[F]) Poll(cx *Context) bool {
	if !t.begun {
		t.begun = true
		t.scope.waker = cx.Waker()
		if t.duration <= 0 {
			t.scope.cancel(context.DeadlineExceeded)
		} else {
			t.timer.arg = &t.scope
			was := cx.enter()
			cx.worker.startTimer(&t.timer, timeAfter(nanotime(), t.duration), timeUp)
			cx.exit(was)
		}
	}
	if !t.scope.poll(cx, t.future) {
		return false
	}
	was := cx.enter()
	cx.worker.stopTimer(&t.timer)
	cx.exit(was)
	return true
}

func timeUp(t *timer) { t.arg.(*scope).cancel(context.DeadlineExceeded) }

func (t *TimeoutFuture[F]) inner() Future { return t.future }

// Cancel implements [Canceler]: it makes what f waits for fail.
func (t *TimeoutFuture[F]) Cancel(*Context) { t.scope.cancel(context.Canceled) }

// Canceled implements [Canceler].
func (t *TimeoutFuture[F]) Canceled() bool { return gaveUp(t.future) }

// gaveUp is Canceled of any future.
func gaveUp(f Future) bool {
	c, ok := f.(Canceler)
	return ok && c.Canceled()
}

// Result returns the future that was waited for.
func (t *TimeoutFuture[F]) Result() F { return t.future }

// WithContext waits for f and returns it. When ctx ends, the operation that f waits
// for fails, and all that f begins later, with the error of ctx; see
// [WithTimeout].
func WithContext[F Future](ctx context.Context, f F) F {
	block(WithContextAsync(ctx, f))
	return f
}

// WithContextAsync is the companion of [WithContext].
func WithContextAsync[F Future](ctx context.Context, f F) *ContextFuture[F] {
	return &ContextFuture[F]{ctx: ctx, future: f}
}

// A ContextFuture is a [WithContext] in progress.
type ContextFuture[F Future] struct {
	ctx    context.Context
	future F
	scope  *scope // not in the future itself, because ctx may keep it
	stop   func() bool
	given  bool // up, before it began
}

// Init prepares c to wait for f.
func (c *ContextFuture[F]) Init(ctx context.Context, f F) {
	c.ctx, c.future = ctx, f
	c.scope, c.stop, c.given = nil, nil, false
}

// Poll implements [Future].
func (c *ContextFuture[F]) Poll(cx *Context) bool {
	if c.scope == nil {
		c.scope = &scope{waker: cx.Waker()}
		c.stop = c.scope.follow(c.ctx)
		if c.given {
			c.scope.cancel(context.Canceled)
		}
	}
	if !c.scope.poll(cx, c.future) {
		return false
	}
	c.stop()
	return true
}

// follow has s cancelled when ctx ends, until stop is called.
func (s *scope) follow(ctx context.Context) (stop func() bool) {
	if err := ctx.Err(); err != nil {
		s.cancel(err)
	} else if ctx.Done() != nil {
		return context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
	}
	return func() bool { return true }
}

// Result returns the future that was waited for.
func (c *ContextFuture[F]) Result() F { return c.future }

func (c *ContextFuture[F]) inner() Future { return c.future }

// Cancel implements [Canceler]: it makes what f waits for fail.
func (c *ContextFuture[F]) Cancel(*Context) {
	c.given = true
	if c.scope != nil {
		c.scope.cancel(context.Canceled)
	}
}

// Canceled implements [Canceler].
func (c *ContextFuture[F]) Canceled() bool { return gaveUp(c.future) }
