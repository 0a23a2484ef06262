// Package genericsdeep generic frames that embed, recurse and range over type parameters.
package genericsdeep

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

type numeric interface{ ~int | ~int64 | ~float64 }

type set[K comparable] map[K]struct{}

//cogen:async
func (s set[K]) add(ks ...K) int {
	n := 0
	for _, k := range ks {
		if _, ok := s[k]; !ok {
			s[k] = struct{}{}
			n += step(1)
		}
	}
	return n
}

type tree[K any, V any] struct {
	root *node[K, V]
	less func(a, b K) bool
}

type node[K, V any] struct {
	k           K
	v           V
	left, right *node[K, V]
}

//cogen:async
func (t *tree[K, V]) put(k K, v V) *tree[K, V] {
	p := &t.root
	for *p != nil {
		step(1)
		switch n := *p; {
		case t.less(k, n.k):
			p = &n.left
		case t.less(n.k, k):
			p = &n.right
		default:
			n.v = v
			return t
		}
	}
	*p = &node[K, V]{k: k, v: v}
	return t
}

//cogen:async
func (t *tree[K, V]) walk(f func(K, V) bool) { walk(t.root, f) }

//cogen:async
func walk[K, V any](n *node[K, V], f func(K, V) bool) bool {
	return n == nil || walk(n.left, f) && more(f(n.k, n.v)) && walk(n.right, f)
}

//cogen:async
func more(b bool) bool { step(2); return b }

//cogen:async
func fold[S ~[]E, E, A any](s S, a A, f func(A, E) A) A {
	for i, e := range s {
		a = f(a, e)
		step(i)
	}
	return a
}

//cogen:async
func mapRange[M ~map[K]V, K cmp.Ordered, V numeric](m M) (keys []K, sum V) {
	for k, v := range m {
		rt.Yield()
		keys = append(keys, k)
		sum += v
	}
	slices.Sort(keys)
	return
}

//cogen:async
func stringRange[S ~string | ~[]byte](s S) (n int) {
	for i := range len(s) {
		n += step(int(s[i]))
	}
	return
}

//cogen:async
func chain[T any](fs ...func(T) T) func(T) T {
	step(len(fs))
	return func(v T) T {
		for _, f := range fs {
			v = f(v)
		}
		return v
	}
}

type embedded[T any] struct{ holder[T] }

type holder[T any] struct{ v T }

//cogen:async
func (h *holder[T]) swap(v T) (old T) {
	old, h.v = h.v, v
	step(3)
	return old
}

//cogen:async
func clamp[N numeric](n, low, high N) N {
	defer step(int(low))
	if n < low {
		return low
	}
	return min(n, high+N(step(0)))
}

type fix[T any] struct {
	self *fix[T]
	v    T
}

//cogen:async
func (f fix[T]) depth() int {
	if f.self == nil {
		return step(0)
	}
	return f.self.depth() + 1
}

//cogen:async
func typeName[T any]() string {
	var v [1]T
	step(4)
	return fmt.Sprintf("%T", v)
}

//cogen:async
func constrained[P *Q, Q any](p P) Q {
	step(5)
	return *p
}

//cogen:async
func capture[T any](v T) func() T {
	f := func() T { return v }
	step(6)
	var zero T
	old := v
	v = zero
	step(7)
	_ = old
	return f
}

//cogen:async
func recovered[T any](f func() T) (v T, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	step(8)
	return f(), nil
}

//cogen:async
func work() {
	s := set[string]{}
	fmt.Println(s.add("a", "b", "a"), len(s))
	t := &tree[string, int]{less: func(a, b string) bool { return a < b }}
	t.put("m", 1).put("c", 2).put("x", 3).put("c", 4)
	t.walk(func(k string, v int) bool { fmt.Println(k, v); return k != "m" })
	fmt.Println(fold([]int{1, 2, 3}, "", func(s string, n int) string { return s + fmt.Sprint(n) }))
	fmt.Println(mapRange(map[string]float64{"b": 1.5, "a": 2}))
	fmt.Println(stringRange("ab"), stringRange([]byte{1, 2}))
	fmt.Println(chain(func(n int) int { return n + 1 }, func(n int) int { return n * 10 })(4))
	e := embedded[[]int]{holder[[]int]{[]int{1}}}
	fmt.Println(e.swap([]int{2}), e.v)
	fmt.Println(clamp(5, 1, 3), clamp(-1.5, 0, 3), clamp[int64](2, 1, 3))
	fmt.Println(fix[int]{self: &fix[int]{self: &fix[int]{}}}.depth())
	fmt.Println(typeName[int](), typeName[map[string]set[int]](), typeName[error]())
	n := 9
	fmt.Println(constrained(&n), capture("captured")())
	fmt.Println(recovered(func() int { return 1 }))
	fmt.Println(recovered(func() []string { panic("generic panic") }))
}

// step stands for an await point: it prints, suspends once and returns n.
//
//cogen:async
func step(n int) int {
	fmt.Println("step", n)
	rt.Yield()
	return n
}

// Main is the program.
func Main() { work() }
