// Package lib is used by another package.
package lib

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// Counter counts.
type Counter struct{ n int }

// Valuer is implemented by *Counter.
type Valuer interface{ Value() int }

// Pair has two parts.
type Pair[A, B any] struct {
	A A
	B B
}

// NewCounter starts at n.
//
//cogen:async
func NewCounter(n int) *Counter {
	pause("new")
	return &Counter{n}
}

// Inc adds d.
//
//cogen:async
func (c *Counter) Inc(d int) {
	pause("inc")
	c.n += d
}

// Value returns the count.
//
//cogen:async
func (c *Counter) Value() int {
	pause("value")
	return c.n
}

// Swap exchanges the parts.
//
//cogen:async
func (p Pair[A, B]) Swap() Pair[B, A] {
	pause("swap")
	return Pair[B, A]{p.B, p.A}
}

// Add adds.
//
//cogen:async
func Add(a, b int) int {
	pause("add")
	return a + b
}

// Map maps.
//
//cogen:async
func Map[T, R any](s []T, f func(T) R) (r []R) {
	for _, v := range s {
		pause("map")
		r = append(r, f(v))
	}
	return r
}

// Trace prints.
//
//cogen:async
func Trace(s string, more ...string) {
	pause("trace")
	fmt.Println(s, more)
}

// Fail returns an error.
//
//cogen:async
func Fail(n int) (v int, err error) {
	defer func() { err = fmt.Errorf("fail %d: %v", n, recover()) }()
	pause("fail")
	panic("inside")
}

// Plain is not async and calls something that is.
func Plain(n int) int { return Add(n, n) }

// Wait has a companion written by hand.
func Wait(n int) int { return rt.Await(WaitAsync(n)).Result() }

// WaitAsync is the async form of Wait.
func WaitAsync(n int) *Waiting { return &Waiting{left: n} }

// Waiting is polled n times more.
type Waiting struct{ left, polls int }

// Poll implements rt.Future.
func (w *Waiting) Poll(cx *rt.Context) bool {
	w.polls++
	if w.left == 0 {
		return true
	}
	w.left--
	cx.Wake()
	return false
}

// Result returns the number of polls.
func (w *Waiting) Result() int { return w.polls }

//cogen:async
func pause(s string) {
	fmt.Println("pause", s)
	rt.Yield()
}
