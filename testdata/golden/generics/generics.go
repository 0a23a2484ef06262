// Package generics generic functions and methods of generic types.
package generics

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type number interface{ ~int | ~float64 }

type list[T any] struct {
	head *element[T]
	size int
}

type element[T any] struct {
	value T
	next  *element[T]
}

//cogen:async
func (l *list[T]) push(v T) {
	step(l.size)
	l.head = &element[T]{v, l.head}
	l.size++
}

//cogen:async
func (l list[E]) each(f func(E)) int {
	n := 0
	for e := l.head; e != nil; e = e.next {
		f(e.value)
		n += step(1)
	}
	return n
}

//cogen:async
func sum[T number](s ...T) (total T) {
	for _, v := range s {
		total += v
		step(int(total))
	}
	return total
}

//cogen:async
func transform[A, B any](s []A, f func(A) B) []B {
	var r []B
	for _, v := range s {
		x := f(v)
		step(len(r))
		r = append(r, x)
	}
	return r
}

//cogen:async
func first[K comparable, V any, M ~map[K]V](m M, k K) (V, bool) {
	v, ok := m[k]
	step(len(m))
	return v, ok
}

//cogen:async
func zero[T any]() (v T) {
	step(0)
	return
}

//cogen:async
func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		step(1)
		return "int"
	case string:
		return "string"
	}
	step(2)
	return fmt.Sprintf("%T", v)
}

//cogen:async
func nest[T any](n int, v T) int {
	if n == 0 {
		return step(len(fmt.Sprint(v)))
	}
	return nest(n-1, v) + 1
}

type stringer interface{ String() string }

type id int

func (i id) String() string { return fmt.Sprint("id", int(i)) }

//cogen:async
func show[T stringer](v T) string {
	step(1)
	return v.String()
}

type pair[A, B any] struct {
	a A
	b B
}

//cogen:async
func makePair[A, B any](a A, b B) pair[A, B] {
	step(1)
	return pair[A, B]{a, b}
}

//cogen:async
func (p pair[A, B]) swap() pair[B, A] {
	step(2)
	return makePair(p.b, p.a)
}

type temperature float64

type table map[string]int

//cogen:async
func ptr[T any, P interface {
	*T
	set(int)
}](n int) T {
	var v T
	P(&v).set(step(n))
	return v
}

type settable struct{ n int }

func (s *settable) set(n int) { s.n = n }

//cogen:async
func work() {
	var l list[string]
	l.push("a")
	l.push("b")
	fmt.Println(l.each(func(s string) { fmt.Println(s) }))
	fmt.Println(sum(1, 2, 3), sum(1.5, 2), sum[temperature](), sum[temperature](4))
	fmt.Println(transform([]int{1, 2}, func(n int) string { return fmt.Sprint(n, "!") }))
	fmt.Println(first(table{"x": 1}, "x"))
	fmt.Println(first(map[int][]int{}, 1))
	fmt.Println(zero[int](), zero[*int]() == nil, zero[pair[int, string]]())
	fmt.Println(kind(1), kind("a"), kind(l), kind[any](nil))
	fmt.Println(nest(2, "abc"), nest(1, 10))
	fmt.Println(show(id(4)), show[stringer](id(5)))
	fmt.Println(makePair(1, "x").swap())
	fmt.Println(ptr[settable](6))
	f := zero[float64]
	fmt.Println(f())
	fmt.Println(blank[bool](T{1}))
}

type T struct{ n int }

// blank has a type parameter without a name, and uses a type T.
//
//cogen:async
func blank[_ any](t T) T {
	t.n += step(1)
	return T{t.n + step(2)}
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
