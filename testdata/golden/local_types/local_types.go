// Package localtypes types, constants and variables declared inside async functions.
package localtypes

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	type point struct{ x, y int }
	const (
		zero = iota
		one
		two
	)
	p := point{one, two}
	step(zero)
	p.x += step(one)
	fmt.Println(p)
	type points []point
	ps := points{p, {3, 4}}
	for _, q := range ps {
		step(q.y)
		fmt.Println(q)
	}
	type node struct {
		next *node
		v    int
	}
	var list *node
	for i := range 3 {
		list = &node{list, step(i)}
	}
	for n := list; n != nil; n = n.next {
		fmt.Println(step(n.v))
	}
	type number interface{ ~int }
	type id = int
	var n id = step(5)
	fmt.Printf("%T %v\n", n, n)
	{
		type inner string
		v := inner("inner")
		step(6)
		fmt.Printf("%v %d\n", v, len(v))
	}
	fmt.Println(generic(7), generic("s"))
	f := func(p point) int { return p.x }
	step(8)
	fmt.Println(f(p))
	anon := struct {
		a int
		f func(int) int
	}{a: step(9), f: func(n int) int { return n + 1 }}
	anon.a = anon.f(step(anon.a))
	fmt.Println(anon.a)
	m := map[point]string{{1, 2}: "k"}
	step(10)
	fmt.Println(m[point{one, two}])
	var i interface{ area() int } = square{step(3)}
	step(4)
	fmt.Println(i.area())
	ch := make(chan point, 1)
	ch <- p
	step(11)
	fmt.Println(<-ch)
	go send(ch, p, p)
	for q := range ch {
		fmt.Println("received", same(q).y+step(q.x))
	}
	select {
	case q, ok := <-ch:
		fmt.Println(q, ok)
	}
	deferred(p)
	var fn func(point) point
	step(12)
	fmt.Println(fn == nil)
}

//cogen:async
func send[T any](ch chan T, values ...T) {
	defer close(ch)
	for _, v := range values {
		rt.Yield()
		ch <- v
	}
}

//cogen:async
func same[T any](v T) T {
	rt.Yield()
	return v
}

//cogen:async
func deferred(v any) {
	type local struct{ v any }
	done := make(chan local)
	defer func() { fmt.Println(<-done, step(13)) }()
	defer show(same(local{step(14)}))
	x := same(func(l local) any { return l.v })
	go func() { done <- local{x(local{v})} }()
}

//cogen:async
func show[T any](v T) {
	fmt.Println("show", same(v))
}

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

//cogen:async
func generic[T any](v T) string {
	type box struct {
		v T
		n int
	}
	b := box{v: v}
	b.n = step(1)
	return fmt.Sprint(b.v, b.n)
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
