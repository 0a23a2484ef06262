package rttest_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// A child is a future that takes some time and ends in one of several ways, in a frame or
// in plain code. It ends early if it is cancelled.
type child struct {
	y     *play
	d     time.Duration
	how   int
	sleep rt.SleepContextFuture
	state int
	begun time.Time
	ended time.Time
	err   error
	quit  bool // it was cancelled
}

// How a child ends.
const (
	returns = iota
	fails
	panics
	exits
	ways
)

var errChild = errors.New("child")

func (c *child) Poll(cx *rt.Context) bool {
	if c.state == 0 {
		c.begun = time.Now()
		c.sleep.Init(context.Background(), c.d)
		c.state = 1
	}
	if !c.sleep.Poll(cx) {
		return false
	}
	c.finish(c.sleep.Result())
	return true
}

func (c *child) finish(err error) {
	c.ended = time.Now()
	switch d := c.ended.Sub(c.begun); {
	case err != nil:
		c.quit, c.err = true, err
		if d > c.d {
			c.y.s.Errorf("cancelled after %v of %v", d, c.d)
		}
		return
	case d != c.d:
		c.y.s.Errorf("a sleep of %v took %v", c.d, d)
	}
	switch c.how {
	case fails:
		c.err = errChild
	case panics:
		panic(errChild)
	case exits:
		runtime.Goexit()
	}
}

func (c *child) Result() error { return c.err }

// plainChild is a child in plain code.
type plainChild struct{ *child }

func (c plainChild) Poll(*rt.Context) bool {
	c.begun = time.Now()
	c.finish(rt.SleepContext(context.Background(), c.d))
	return true
}

func (y *play) child(worst int) (*child, rt.Future) {
	c := &child{y: y, d: time.Duration(y.between(0, 10)) * time.Millisecond}
	if y.odds(3) {
		c.how = y.s.Rand().IntN(worst + 1)
	}
	if y.odds(1) {
		return c, plainChild{c}
	}
	return c, c
}

// endOf runs f in a task and tells how it ended.
func endOf(f func()) (how int) {
	how = exits
	start(func() {
		defer func() {
			if recover() != nil {
				how = panics
			}
		}()
		f()
		how = returns
	}).Wait()
	return how
}

// A group ends when all its tasks have, at the time that the last one does; the first that fails
// cancels the others then and there. No more of them run at a time than it allows.
func TestSimGroup(t *testing.T) {
	simulate(t, func(y *play) {
		s := y.s
		g := new(rt.Group)
		limit := 0
		if y.odds(1) {
			limit = y.between(1, 3)
			g.SetLimit(limit)
		}
		var children []*child
		begun := time.Now()
		var err error
		how := endOf(func() {
			for range y.between(0, 6) {
				c, f := y.child(exits)
				children = append(children, c)
				if y.odds(2) {
					g.GoFunc(func() error {
						rt.Await(f)
						return c.err
					})
				} else {
					g.Go(f)
				}
			}
			err = g.Wait()
		})
		var last, firstBad time.Time
		for _, c := range children {
			if c.state == 0 && c.begun.IsZero() || c.ended.IsZero() {
				s.Error("Wait has returned before a child has finished")
				continue
			}
			if c.ended.After(last) {
				last = c.ended
			}
			if !c.quit && c.how != returns && (firstBad.IsZero() || c.ended.Before(firstBad)) {
				firstBad = c.ended
			}
			running := 0
			for _, o := range children {
				if !o.begun.After(c.begun) && o.ended.After(c.begun) {
					running++
				}
			}
			if limit > 0 && running > limit {
				s.Errorf("%d of %d run at %v", running, limit, c.begun.Sub(begun))
			}
		}
		worst := returns
		for _, c := range children {
			if c.quit {
				if firstBad.IsZero() || c.ended.After(firstBad) && c.begun.Before(firstBad) {
					s.Errorf("cancelled at %v, and the first failure was at %v", c.ended.Sub(begun), firstBad.Sub(begun))
				}
				continue
			}
			if !firstBad.IsZero() && c.ended.After(firstBad) {
				s.Errorf("not cancelled: it ended at %v, and the first failure was at %v", c.ended.Sub(begun), firstBad.Sub(begun))
			}
			worst = max(worst, c.how)
		}
		switch {
		case worst == returns && (how != returns || err != nil):
			s.Errorf("end %d, error %v", how, err)
		case worst == fails && (how != returns || err != errChild):
			s.Errorf("end %d, error %v, want the child's", how, err)
		case worst >= panics && how == returns:
			s.Errorf("a panic or Goexit of a child is lost; error %v", err)
		}
		if !last.IsZero() && time.Since(last) != 0 {
			s.Errorf("Wait returned %v after the last child", time.Since(last))
		}
	})
}

// Join waits for all. Race ends the others when the first one has ended. Both end early if
// they are cancelled, and pass it on.
func TestSimJoinRace(t *testing.T) {
	simulate(t, func(y *play) {
		s := y.s
		var children []*child
		var futures []rt.Future
		for range y.between(1, 5) {
			c, f := y.child(fails)
			children = append(children, c)
			futures = append(futures, f)
		}
		begun := time.Now()
		d := time.Duration(y.between(1, 12)) * time.Millisecond
		limited := y.odds(1)
		race := y.odds(1)
		first := -1
		if race {
			f := rt.RaceAsync(futures...)
			if limited {
				rt.WithTimeout(d, f)
			} else {
				rt.Await(f)
			}
			first = f.Result()
		} else {
			f := rt.JoinAsync(futures...)
			if limited {
				rt.WithTimeout(d, f)
			} else {
				rt.Await(f)
			}
		}
		took := time.Since(begun)
		longest, shortest := children[0].d, children[0].d
		for _, c := range children {
			longest, shortest = max(longest, c.d), min(shortest, c.d)
		}
		want := longest
		if race {
			want = shortest
		}
		if limited {
			want = min(want, d)
		}
		if took != want {
			s.Errorf("took %v, want %v", took, want)
		}
		for i, c := range children {
			if c.ended.IsZero() {
				s.Error("a child has not finished")
			}
			if i == first && !c.quit && c.d != shortest {
				s.Errorf("%v has won over %v", c.d, shortest)
			}
			if !c.quit && c.d > want {
				s.Errorf("a child of %v has not been cancelled at %v", c.d, want)
			}
		}
	})
}

// Whatever waits for time wakes at its time, in a nest of limits at the least of them; what
// is used again begins afresh.
func TestSimTime(t *testing.T) {
	simulate(t, func(y *play) {
		s := y.s
		ms := func(low, high int) time.Duration { return time.Duration(y.between(low, high)) * time.Millisecond }
		var mu sync.Mutex
		for range y.between(1, 6) {
			p := y.add()
			var begun time.Time
			took := func(what string, want time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				if d := time.Since(begun); d != want {
					s.Errorf("%s took %v, want %v", what, d, want)
				}
			}
			begin := func() { begun = time.Now() }
			var again rt.TimeoutFuture[*rt.SleepFuture]
			for range y.between(1, 5) {
				d, limit, outer := ms(1, 20), ms(1, 20), ms(1, 20)
				switch s.Rand().IntN(6) {
				case 0:
					p.do(step{
						await: func() rt.Future { begin(); return rt.SleepAsync(d) },
						plain: func() { begin(); rt.Sleep(d) },
						then:  func() { took("a sleep", d) },
					})
				case 1:
					p.do(step{
						await: func() rt.Future { begin(); return rt.After(d).WaitAsync() },
						plain: func() { begin(); rt.After(d).Wait() },
						then:  func() { took("an alarm", d) },
					})
				case 2:
					var f *rt.SleepFuture
					p.wait(func() rt.Future {
						begin()
						f = rt.SleepAsync(d)
						return rt.WithTimeoutAsync(outer, rt.WithTimeoutAsync(limit, f))
					}, func() {
						took("a sleep with limits", min(d, limit, outer))
						if least := min(limit, outer); d < least && f.Canceled() || d > least && !f.Canceled() {
							s.Errorf("a sleep of %v with a limit of %v: cancelled %v", d, least, f.Canceled())
						}
					})
				case 3:
					var f *rt.SleepContextFuture
					var cancel context.CancelFunc
					p.wait(func() rt.Future {
						begin()
						var ctx context.Context
						ctx, cancel = context.WithTimeout(context.Background(), limit)
						f = rt.SleepContextAsync(ctx, d)
						return rt.WithTimeoutAsync(outer, f)
					}, func() {
						cancel()
						took("a sleep with a context", min(d, limit, outer))
						if err := f.Result(); d < min(limit, outer) && err != nil || d > min(limit, outer) && err == nil {
							s.Errorf("a sleep of %v with limits of %v and %v: %v", d, limit, outer, err)
						}
					})
				case 4:
					// The timer of the last use must not touch this one.
					f := new(rt.SleepFuture)
					p.wait(func() rt.Future {
						begin()
						f.Init(d)
						again.Init(limit, f)
						return &again
					}, func() { took("a limit that is used again", min(d, limit)) })
				case 5:
					tick := rt.Tick(d)
					var at time.Time
					p.call(func() { tick.Reset(d); begin() })
					p.sleep(limit)
					p.wait(func() rt.Future { return tick.WaitAsync() }, func() {
						at = begun.Add(d)
						if now := time.Now(); now.Before(at) || limit < d && now.After(at) || limit >= d && now.Sub(begun) != limit {
							s.Errorf("a tick of %v after a sleep of %v came after %v", d, limit, now.Sub(begun))
						}
					})
				}
			}
		}
		y.enact()
	})
}
