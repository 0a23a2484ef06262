// Package rangefunc is what generated code needs for a range over a function whose
// body waits:
//
//	for v := range list.All() { total += fetch(v) }
//
// The body is part of the frame of the function that has the loop, and the
// iterator has a frame, too. Calls keep the direction that they have in Go: the
// iterator's frame calls the body for each pair of values, through the interface
// [Body] in the place of the yield function, and if the body has to wait, so does
// the iterator. So a panic in the body passes through the iterator, whose deferred
// calls see it, and runtime.Goexit likewise.
package rangefunc

import "github.com/cogen-go/cogen/rt"

// None is the type of a value that the yield function does not take.
type None = struct{}

// A Body is a yield function that can wait. A yield function that takes one value is
// a Body[V, None], one that takes none a Body[None, None].
type Body[K, V any] interface {
	// Yield begins an iteration with two values and runs it until it waits or has
	// ended. Once it has ended, done is true and more is what the yield function
	// returns.
	Yield(cx *rt.Context, k K, v V) (more, done bool)
	// Resume goes on with an iteration that waits.
	Resume(cx *rt.Context) (more, done bool)
}

// An Iterator is a call of an iterator function that has not started: Begin gives it
// the body that it runs, Poll runs it.
type Iterator[K, V any] interface {
	rt.Future
	Begin(body Body[K, V])
}

// A call is an iteration as a future, for plain code.
type call[K, V any] struct {
	body    Body[K, V]
	k       K
	v       V
	started bool
	more    bool
}

// Poll implements [rt.Future].
func (c *call[K, V]) Poll(cx *rt.Context) (done bool) {
	if c.started {
		c.more, done = c.body.Resume(cx)
		return done
	}
	c.started = true
	c.more, done = c.body.Yield(cx, c.k, c.v)
	return done
}

// run runs an iteration from plain code, which waits as plain code does.
func run[K, V any](body Body[K, V], k K, v V) (more bool) {
	return rt.Await(&call[K, V]{body: body, k: k, v: v}).more
}
