// Package valuescopied structs, arrays and interfaces keep value semantics across awaits.
package valuescopied

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type big struct {
	a [4]int
	s string
	p *int
}

//cogen:async
func work() {
	n := 1
	b := big{s: "b", p: &n}
	c := modify(b)
	fmt.Println(b.a, b.s, *b.p, c.a, c.s, *c.p)
	arr := [3]int{1, 2, 3}
	fmt.Println(change(arr), arr)
	var e any = arr
	arr[0] = step(9)
	fmt.Println(e, arr)
	s := []big{b, c}
	d := s[0]
	s[0].s = "in slice"
	step(1)
	d.s = "copy"
	fmt.Println(s[0].s, d.s, b.s)
	m := map[string]big{"k": b}
	v := m["k"]
	v.s = "v"
	step(2)
	fmt.Println(m["k"].s, v.s)
	x, y := b, &b
	y.s = "through y"
	step(3)
	fmt.Println(x.s, y.s, b.s)
	for _, v := range [2]big{{s: "x"}, {s: "y"}} {
		v.a[0] = step(4)
		fmt.Println(v.s, v.a)
	}
	f := func(b big) big { b.s += "f"; return b }
	fmt.Println(f(f(c)).s, step(5), c.s)
	var z struct {
		big
		n int
	}
	z.big = c
	z.n = step(6)
	z.s = "z"
	w := z
	step(7)
	w.a[0] = 70
	fmt.Println(z.s, c.s, z.a[0], w.a[0])
	t, u := pair()
	t.a[1], u.a[1] = step(8), step(9)
	fmt.Println(t.a, u.a)
	var ch = make(chan big, 1)
	ch <- b
	b.s = "later"
	step(10)
	fmt.Println((<-ch).s)
	g, ok := any(c).(big)
	step(11)
	fmt.Println(g.s, ok, any(c) == any(g), c == g)
}

//cogen:async
func modify(b big) big {
	b.a[step(0)] = 5
	b.s += "!"
	*b.p += 1
	step(1)
	return b
}

//cogen:async
func change(a [3]int) [3]int {
	a[1] = step(50)
	return a
}

//cogen:async
func pair() (x, y big) {
	x.a[0] = step(1)
	y = x
	y.a[0] = step(2)
	return
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
