package rangefunc

// Yield functions as bodies and back, and functions as iterators, by the number of
// values that they yield.

import "github.com/cogen-go/cogen/rt"

type (
	func0           func() bool
	func1[V any]    func(V) bool
	func2[K, V any] func(K, V) bool
)

// FromFunc0 returns the body that calls yield.
func FromFunc0(yield func() bool) Body[None, None] { return func0(yield) }

// FromFunc1 returns the body that calls yield.
func FromFunc1[V any](yield func(V) bool) Body[V, None] { return func1[V](yield) }

// FromFunc2 returns the body that calls yield.
func FromFunc2[K, V any](yield func(K, V) bool) Body[K, V] { return func2[K, V](yield) }

func (f func0) Yield(*rt.Context, None, None) (more, done bool)       { return f(), true }
func (f func1[V]) Yield(_ *rt.Context, v V, _ None) (more, done bool) { return f(v), true }
func (f func2[K, V]) Yield(_ *rt.Context, k K, v V) (more, done bool) { return f(k, v), true }

// A plain function has ended when it returns.
func (f func0) Resume(*rt.Context) (more, done bool)       { panic("rangefunc: nothing waits") }
func (f func1[V]) Resume(*rt.Context) (more, done bool)    { panic("rangefunc: nothing waits") }
func (f func2[K, V]) Resume(*rt.Context) (more, done bool) { panic("rangefunc: nothing waits") }

// ToFunc0 returns the yield function that runs body. It may be called while
// the iterator that has been given the body runs, by what the iterator calls.
func ToFunc0(body Body[None, None]) func() bool {
	if f, ok := body.(func0); ok {
		return f
	}
	return func() bool { return run(body, None{}, None{}) }
}

// ToFunc1 is ToFunc0 for a body that takes one value.
func ToFunc1[V any](body Body[V, None]) func(V) bool {
	if f, ok := body.(func1[V]); ok {
		return f
	}
	return func(v V) bool { return run(body, v, None{}) }
}

// ToFunc2 is ToFunc0 for a body that takes two values.
func ToFunc2[K, V any](body Body[K, V]) func(K, V) bool {
	if f, ok := body.(func2[K, V]); ok {
		return f
	}
	return func(k K, v V) bool { return run(body, k, v) }
}

type (
	iterator0 struct {
		seq  func(func() bool)
		body Body[None, None]
	}
	iterator1[V any] struct {
		seq  func(func(V) bool)
		body Body[V, None]
	}
	iterator2[K, V any] struct {
		seq  func(func(K, V) bool)
		body Body[K, V]
	}
)

// Iterate0 returns an iterator that calls seq.
func Iterate0(seq func(func() bool)) Iterator[None, None] { return &iterator0{seq: seq} }

// Iterate1 returns an iterator that calls seq.
func Iterate1[V any](seq func(func(V) bool)) Iterator[V, None] { return &iterator1[V]{seq: seq} }

// Iterate2 returns an iterator that calls seq.
func Iterate2[K, V any](seq func(func(K, V) bool)) Iterator[K, V] {
	return &iterator2[K, V]{seq: seq}
}

func (it *iterator0) Begin(body Body[None, None]) { it.body = body }
func (it *iterator1[V]) Begin(body Body[V, None]) { it.body = body }
func (it *iterator2[K, V]) Begin(body Body[K, V]) { it.body = body }

// The loops are Go's own, so that all of its checks are made of what a function does
// with yield that nobody has looked into.

func (it *iterator0) Poll(*rt.Context) bool {
	for range it.seq {
		if !run(it.body, None{}, None{}) {
			break
		}
	}
	return true
}

func (it *iterator1[V]) Poll(*rt.Context) bool {
	for v := range it.seq {
		if !run(it.body, v, None{}) {
			break
		}
	}
	return true
}

func (it *iterator2[K, V]) Poll(*rt.Context) bool {
	for k, v := range it.seq {
		if !run(it.body, k, v) {
			break
		}
	}
	return true
}
