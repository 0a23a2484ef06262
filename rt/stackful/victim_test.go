package stackful

import (
	"context"
	"iter"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"time"
)

// A victim is a runner of TestTorture.
type victim struct {
	*torture
	rng    *rand.Rand
	runner *Runner
	// stays counts the reasons why the runner cannot go to another thread.
	stays int
	// panics says that the victim will end with a panic.
	panics bool
}

func newVictim(h *torture, seed uint64) *victim {
	v := &victim{torture: h, rng: rand.New(rand.NewPCG(seed, seed))}
	v.runner = newRunner(h.engine, v, v.main)
	return v
}

// fail reports what should not be, unless the victim is being killed, when
// deferred calls run with no panic to recover.
func (v *victim) fail(format string, args ...any) {
	if !v.runner.dying {
		v.t.Errorf(format, args...)
	}
}

func (v *victim) movable() bool { return v.stays == 0 && v.engine.name() == "exchange" }

// resume reports whether the victim goes on.
func (v *victim) resume() (alive bool) {
	defer func() {
		if r := recover(); r != nil && (r != v || !v.panics) {
			v.fail("a runner ended with the panic %v", r)
		}
	}()
	return v.runner.Resume()
}

func (v *victim) main() {
	// A list that is reachable from here only, and a value on this stack.
	list := newChain(v.rng, 20)
	local := v.rng.Uint64()
	for range 1 + v.rng.IntN(20) {
		v.step(v.rng.IntN(6))
		list.check(v)
		v.same(&local, local)
	}
	switch v.rng.IntN(8) {
	case 0:
		runtime.Goexit()
	case 1:
		v.panics = true
		panic(v)
	}
}

// suspend sets the runner aside and looks where it is afterwards.
func (v *victim) suspend() {
	v.runner.Suspend()
	if v.stays == 0 && Current() != v.runner {
		v.fail("on runner %p, Current says %p", v.runner, Current())
	}
}

// same checks that what was on the stack is there still.
//
//go:noinline
func (v *victim) same(p *uint64, want uint64) {
	if *p != want {
		v.fail("a value on the stack has become %#x, was %#x", *p, want)
	}
}

// step does one of the things that matter, with up to depth more below it.
//
//go:noinline
func (v *victim) step(depth int) {
	local := [3]uint64{v.rng.Uint64(), v.rng.Uint64(), v.rng.Uint64()}
	second := &local[1]
	want := local
	if depth > 0 {
		v.step(depth - 1)
	}
	steps[v.rng.IntN(len(steps))](v, depth)
	v.same(second, want[1])
	v.same(&local[2], want[2])
}

var steps []func(v *victim, depth int)

func init() {
	steps = []func(v *victim, depth int){
		func(v *victim, _ int) { v.suspend() },
		func(v *victim, _ int) { v.suspend() },
		func(v *victim, _ int) { v.suspend() },
		(*victim).deep,
		(*victim).recovers,
		(*victim).replacesPanic,
		(*victim).defersInLoop,
		(*victim).defersOnStack,
		(*victim).rangesOverFunc,
		(*victim).pulls,
		(*victim).locksThread,
		(*victim).hasLabels,
		(*victim).faults,
		(*victim).makesGarbage,
		(*victim).looksAtStack,
		(*victim).blocks,
	}
}

// deep grows the stack, and lets it shrink again.
func (v *victim) deep(int) { v.dig(v.rng.IntN(100)) }

//go:noinline
func (v *victim) dig(n int) (sum uint64) {
	var b [32]uint64
	b[n%32] = uint64(n)
	p := &b[(n+1)%32]
	*p = 7
	switch {
	case n > 0:
		sum = v.dig(n - 1)
	default:
		v.suspend()
	}
	if n%16 == 0 {
		v.suspend()
	}
	if b[n%32] != uint64(n) || *p != 7 {
		v.fail("frame %d has %d and %d", n, b[n%32], *p)
	}
	return sum + b[n%32]
}

// recovers suspends while panicking, in a deferred call.
func (v *victim) recovers(depth int) {
	order := 0
	func() {
		defer func() {
			v.suspend()
			if r := recover(); r != v {
				v.fail("recovered %v", r)
			}
			order = order*10 + 3
			v.suspend()
		}()
		defer func() {
			order = order*10 + 2
			v.suspend()
			v.more(depth)
		}()
		defer func() { order = order*10 + 1 }()
		v.suspend()
		if v.rng.IntN(2) == 0 {
			v.dig(20)
		}
		panic(v)
	}()
	if order != 123 {
		v.fail("deferred calls ran in the order %d", order)
	}
}

// more takes another step if there are not too many below.
func (v *victim) more(depth int) {
	if depth > 2 {
		v.step(1)
	}
}

// replacesPanic panics while panicking, and recovers an inner panic.
func (v *victim) replacesPanic(int) {
	defer func() {
		if r := recover(); r != "second" {
			v.fail("recovered %v, want second", r)
		}
	}()
	defer func() {
		v.suspend()
		func() {
			defer func() {
				v.suspend()
				if r := recover(); r != "inner" {
					v.fail("recovered %v, want inner", r)
				}
			}()
			panic("inner")
		}()
		v.suspend()
		panic("second")
	}()
	v.suspend()
	panic("first")
}

// defersInLoop has deferred calls in records on the heap.
func (v *victim) defersInLoop(int) {
	n, sum := v.rng.IntN(10), 0
	func() {
		for i := range n {
			defer func() {
				if i%3 == 0 {
					v.suspend()
				}
				sum += i
			}()
			if i%4 == 0 {
				v.suspend()
			}
		}
	}()
	if sum != n*(n-1)/2 {
		v.fail("deferred calls added up to %d of %d", sum, n)
	}
}

// defersOnStack has so many deferred calls that their records are on the stack.
func (v *victim) defersOnStack(int) {
	sum := 0
	add := func(n int) { v.suspend(); sum += n }
	func() {
		defer add(1)
		defer add(2)
		defer add(3)
		defer add(4)
		defer add(5)
		defer add(6)
		defer add(7)
		defer add(8)
		defer add(9)
		v.suspend()
		if v.rng.IntN(2) == 0 {
			v.dig(v.rng.IntN(30))
		}
	}()
	if sum != 45 {
		v.fail("deferred calls added up to %d", sum)
	}
}

// rangesOverFunc has deferred calls in the body of a loop over a function.
func (v *victim) rangesOverFunc(int) {
	sum := 0
	func() {
		for i := range v.upTo(5) {
			defer func() { v.suspend(); sum += i }()
		}
	}()
	if sum != 10 {
		v.fail("deferred calls added up to %d", sum)
	}
}

func (v *victim) upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			v.suspend()
			if !yield(i) {
				return
			}
		}
	}
}

// pulls suspends on and around a coroutine of its own.
func (v *victim) pulls(int) {
	v.stays++
	defer func() { v.stays-- }()
	next, stop := iter.Pull(v.upTo(4))
	defer stop()
	for i := range 3 {
		if got, ok := next(); got != i || !ok {
			v.fail("pulled %d, %v; want %d", got, ok, i)
		}
		v.suspend()
	}
}

// locksThread suspends between LockOSThread and UnlockOSThread, which only the
// exchange engine allows.
func (v *victim) locksThread(int) {
	if v.engine.name() == "portable" {
		return
	}
	v.stays++
	runtime.LockOSThread()
	v.suspend()
	runtime.LockOSThread()
	v.suspend()
	runtime.UnlockOSThread()
	v.suspend()
	runtime.UnlockOSThread()
	v.stays--
}

// hasLabels has profiler labels, which belong to the stack.
func (v *victim) hasLabels(int) {
	pprof.Do(context.Background(), pprof.Labels("victim", "yes"), func(ctx context.Context) {
		v.suspend()
		// The labels are those of ctx: making a profile of this would take too long.
		v.dig(3)
	})
	v.suspend()
}

// faults has asked for panics on faults, which is a state of the goroutine.
func (v *victim) faults(int) {
	old := debug.SetPanicOnFault(true)
	v.suspend()
	if !debug.SetPanicOnFault(old) {
		v.fail("panics on faults have gone")
	}
	v.suspend()
	if debug.SetPanicOnFault(old) != old {
		v.fail("panics on faults have come")
	}
	func() {
		defer func() {
			v.suspend()
			if _, ok := recover().(runtime.Error); !ok {
				v.fail("a nil pointer did not panic")
			}
		}()
		var p *int
		v.suspend()
		*p = 1
	}()
}

func (v *victim) makesGarbage(int) {
	words := []string{}
	for i := range 20 {
		words = append(words, strings.Repeat("x", i))
		if i%7 == 0 {
			v.suspend()
		}
	}
	set := map[string]int{}
	for i, w := range words {
		set[w] = i
	}
	v.suspend()
	for w, i := range set {
		if len(w) != i {
			v.fail("%q is at %d", w, i)
		}
	}
}

// looksAtStack wants to find itself on its stack.
func (v *victim) looksAtStack(int) {
	v.suspend()
	pcs := make([]uintptr, 200)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "(*victim).main") {
			break
		}
		if !more {
			v.fail("a stack does not end in main:\n%s", debug.Stack())
			break
		}
	}
}

// blocks waits natively, which holds up the thread.
func (v *victim) blocks(int) {
	switch v.rng.IntN(20) {
	case 0:
		time.Sleep(time.Microsecond)
	case 1:
		c := make(chan int)
		go func() { c <- 1 }()
		<-c
	case 2:
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
	default:
		runtime.Gosched()
	}
	v.suspend()
}

// A chain is a circular list of checked length.
type chain struct {
	next *chain
	n    int
	data []int
}

func newChain(rng *rand.Rand, n int) *chain {
	first := &chain{n: n}
	last := first
	for i := range n - 1 {
		last.next = &chain{n: n - 1 - i, data: make([]int, rng.IntN(10))}
		last = last.next
	}
	last.next = first
	return first
}

func (c *chain) check(v *victim) {
	p := c
	for i := range c.n {
		if p.n != c.n-i {
			v.fail("link %d of a list has the number %d", c.n-i, p.n)
			return
		}
		for _, x := range p.data {
			if x != 0 {
				v.fail("link %d of a list has data %d", c.n-i, x)
			}
		}
		p = p.next
	}
	if p != c {
		v.fail("a list is not closed")
	}
}
