// Package callforms has calls whose receivers and arguments are unusual.
package callforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type point struct{ x, y int }

//cogen:async
func (p point) plus(x, y int) point { return point{p.x + step(x), p.y + y} }

//cogen:async
func (p *point) move(dx, dy int, more ...int) int {
	p.x, p.y = p.x+dx, p.y+dy
	return step(p.x + len(more))
}

type holder struct {
	point
	f func() int
}

//cogen:async
func work() {
	spread()
	literals()
	heads()
}

// spread passes all results of a call to another.
//
//cogen:async
func spread() {
	p := &point{1, 2}
	fmt.Println(p.plus(plainPair(3)), p.plus(pair(4)))
	fmt.Println(p.move(plainPair(5)), p.move(pair(6)), *p)
	fmt.Println(sum(plainPair(7)), sum(pair(8)), made(p).move(pair(9)))
	fmt.Println(made(p).plus(plainPair(10)), *p)
	fmt.Println(variadic(triple(11)))
}

func made(p *point) *point { fmt.Println("made"); p.x *= 2; return p }

func plainPair(n int) (int, int) { fmt.Println("plain pair"); return n, n + 1 }

//cogen:async
func pair(n int) (int, int) { return step(n), n + 1 }

func triple(n int) (int, int, int) { return n, n + 1, n + 2 }

//cogen:async
func sum(a, b int) int { return step(a) + b }

//cogen:async
func variadic(list ...int) int { return step(len(list)) + list[0] }

// literals has function literals in receivers and arguments.
//
//cogen:async
func literals() {
	n := 1
	h := holder{point{1, 1}, func() int { n++; return n }}
	fmt.Println(holder{point{n, n}, func() int { n++; return n }}.plus(h.f(), n))
	fmt.Println((&holder{point{n, n}, func() int { n++; return n }}).move(h.f(), n, n))
	fmt.Println(call(func() int { n *= 2; return step(n) }, n), n)
	p := []point{{1, 2}, {3, 4}}
	fmt.Println(p[func() int { n = 0; return 1 }()].plus(n, step(1)))
}

//cogen:async
func call(f func() int, n int) int { return f() + step(n) }

// heads has composite literals in the heads of statements.
//
//cogen:async
func heads() {
	p := point{1, 2}
	if (point{step(1), 2}) == p && (point{1, 2}.plus(1, 2)) == (point{step(2), 4}) {
		fmt.Println("equal")
	}
	for i := (point{step(2), 0}).x; i > (point{step(0), 0}.y); i-- {
		fmt.Println(i)
	}
	switch p { // no awaits in the cases
	case (point{step(1), 2}):
		fmt.Println("case")
	}
	for range (holder{point: point{step(1), 1}}).x {
		fmt.Println("range")
	}
	if q := (point{3, step(4)}); q == (point{step(3), 4}) {
		fmt.Println(q)
	}
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
