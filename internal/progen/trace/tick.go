package trace

import (
	"sync/atomic"

	"github.com/cogen-go/cogen/rt"
)

// ticks counts the futures made by TickAsync; some of them suspend.
var ticks atomic.Uint32

// Tick returns n, and may let others run before. It is a leaf written by hand,
// with a companion that returns a value.
func Tick(n int) int {
	rt.Yield()
	return n
}

// TickAsync is the companion of Tick. The choice of which ticks suspend follows no
// short pattern, so the same loop sees both.
func TickAsync(n int) TickFuture {
	t := ticks.Add(1)
	return TickFuture{n: n, pending: t*2654435761>>29%3 != 0}
}

// A TickFuture is a future of Tick.
type TickFuture struct {
	n       int
	pending bool
	polled  bool
}

// Init prepares f.
func (f *TickFuture) Init(n int) { *f = TickAsync(n) }

// Poll implements [rt.Future].
func (f *TickFuture) Poll(cx *rt.Context) bool {
	if f.pending && !f.polled {
		f.polled = true
		cx.Wake()
		return false
	}
	return true
}

// Result returns n.
func (f *TickFuture) Result() int { return f.n }

// Wait is a future to be awaited by value, with rt.Await.
func Wait(n int) *TickFuture {
	f := TickAsync(n)
	return &f
}
