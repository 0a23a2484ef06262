package rttest_test

import (
	"context"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/rt/rttest"
)

// The tests called TestSim are the runtime's own: each draws a program from the seed, in which
// parties use one or several things in all forms, and checks what must hold whatever
// happens. See docs/rttest.md for how to run many seeds.

// simSeeds is how many seeds of each go test runs.
const simSeeds = 250

// A party does something, step by step, in one of the forms in which code can wait.
type party struct {
	s *rttest.Sim
	// await waits for a future in the party's form. The future is made when it is to
	// begin.
	steps []step
}

// A step awaits a future, if there is one, and then calls then. It begins anew as long as
// again says so.
type step struct {
	again func() bool
	await func() rt.Future
	// plain is the plain form of await, if await is a companion's call.
	plain func()
	then  func()
}

func (p *party) do(s step)     { p.steps = append(p.steps, s) }
func (p *party) call(f func()) { p.do(step{then: f}) }
func (p *party) sleep(d time.Duration) {
	p.do(step{await: func() rt.Future { return rt.SleepAsync(d) }, plain: func() { rt.Sleep(d) }})
}

// wait adds a step that awaits f.
func (p *party) wait(f func() rt.Future, then func()) { p.do(step{await: f, then: then}) }

// pause adds a step that takes some time, or none.
func (p *party) pause() {
	switch p.s.Rand().IntN(4) {
	case 0:
		p.wait(func() rt.Future { return rt.YieldAsync() }, nil)
	case 1:
		p.sleep(time.Duration(p.s.Rand().IntN(10)) * time.Millisecond)
	}
}

// plainly does all steps in plain form.
func (p *party) plainly() {
	for i := 0; i < len(p.steps); {
		s := &p.steps[i]
		switch {
		case s.plain != nil:
			s.plain()
		case s.await != nil:
			rt.Await(s.await())
		}
		i += s.end()
	}
}

// end ends the step, and returns how far on the next one is.
func (s *step) end() int {
	if s.then != nil {
		s.then()
	}
	if s.again != nil && s.again() {
		return 0
	}
	return 1
}

// A frame does the steps of a party as generated code would.
type frame struct {
	p     *party
	at    int
	now   rt.Future
	waker rt.Waker
}

func (f *frame) wake() { f.waker.Wake() }

func (f *frame) Poll(cx *rt.Context) bool {
	f.waker = cx.Waker()
	for f.at < len(f.p.steps) {
		s := &f.p.steps[f.at]
		if s.await != nil {
			if f.now == nil {
				f.now = s.await()
			}
			if !f.now.Poll(cx) {
				return false
			}
			f.now = nil
		}
		f.at += s.end()
	}
	return true
}

// A stack does the steps of a party in plain code in a task.
type stack struct {
	p     *party
	waker rt.Waker
}

func (f *stack) wake() { f.waker.Wake() }

func (f *stack) Poll(cx *rt.Context) bool {
	f.waker = cx.Waker()
	f.p.plainly()
	return true
}

// The forms of a party.
const (
	asFrame = iota
	asStack
	asGoroutine
	forms
)

// A play is a number of parties.
type play struct {
	s *rttest.Sim
	// goroutines are among the parties, which makes the order in which they come a
	// matter of chance.
	goroutines bool
	parties    []*party
}

// enact runs all parties, each in a form that is drawn, and disturbs frames with
// wake-ups that they have not asked for. It returns when all have finished, in whatever
// way.
func (y *play) enact() {
	var done rt.WaitGroup
	done.Add(len(y.parties))
	type task interface {
		rt.Future
		wake() // without being asked to
	}
	var tasks []task
	for _, p := range y.parties {
		form := y.s.Rand().IntN(forms)
		if form == asGoroutine && !y.goroutines {
			form = asFrame
		}
		if form == asGoroutine {
			go func() {
				defer done.Done()
				p.plainly()
			}()
			continue
		}
		var f task = &frame{p: p}
		if form == asStack {
			f = &stack{p: p}
		}
		tasks = append(tasks, f)
		// A task that panics or leaves by Goexit has ended, too.
		start(func() { rt.Go(f).Wait(); done.Done() })
	}
	if len(tasks) > 0 && y.s.Rand().IntN(2) == 0 {
		start(func() {
			for range 60 {
				tasks[y.s.Rand().IntN(len(tasks))].wake()
				if y.s.Rand().IntN(3) == 0 {
					rt.Sleep(time.Millisecond)
				} else {
					rt.Yield()
				}
			}
		})
	}
	done.Wait()
}

// start runs f in plain form in a task.
func start(f func()) rt.Task {
	return rt.Go(&stack{p: &party{steps: []step{{then: f}}}})
}

// add returns a new party.
func (y *play) add() *party {
	p := &party{s: y.s}
	y.parties = append(y.parties, p)
	return p
}

// simulate runs plays of many seeds.
func simulate(t *testing.T, f func(y *play)) {
	t.Helper()
	rttest.Seeds(t, simSeeds, func(s *rttest.Sim) {
		f(&play{s: s, goroutines: s.Rand().IntN(3) == 0})
	})
}

// between returns a number from low to high.
func (y *play) between(low, high int) int { return low + y.s.Rand().IntN(high-low+1) }

// odds reports true with the odds of one to n.
func (y *play) odds(n int) bool { return y.s.Rand().IntN(n+1) == 0 }

// attempt adds a step that awaits what begin returns, sometimes with a limit on its
// time, and calls then with whether that was not given up. The plain form is for those
// who wait in it and have no limit.
func (p *party) attempt(begin func() rt.Canceler, plain func(), then func(got bool)) {
	d := time.Duration(p.s.Rand().IntN(8)) * time.Millisecond
	how := p.s.Rand().IntN(6)
	if how > 2 {
		var f rt.Canceler
		p.do(step{
			await: func() rt.Future { f = begin(); return f },
			plain: func() { f = nil; plain() },
			then:  func() { then(f == nil || !f.Canceled()) },
		})
		return
	}
	var f rt.Canceler
	p.wait(func() rt.Future {
		f = begin()
		switch how {
		case 0:
			return rt.WithTimeoutAsync(d, f)
		case 1:
			ctx, cancel := context.WithTimeout(context.Background(), d)
			return &canceling{rt.WithContextAsync(ctx, f), cancel}
		default:
			return rt.SelectAsync(f, rt.SleepAsync(d))
		}
	}, func() { then(!f.Canceled()) })
}

// A canceling future lets go of its context when it has finished.
type canceling struct {
	rt.Future
	cancel context.CancelFunc
}

func (c *canceling) Poll(cx *rt.Context) bool {
	if !c.Future.Poll(cx) {
		return false
	}
	c.cancel()
	return true
}
