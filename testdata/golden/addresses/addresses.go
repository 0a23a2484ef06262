// Package addresses variables whose address outlives an await.
package addresses

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type pair struct {
	a, b int
	list [2]int
}

//cogen:async
func work() {
	x := 1
	p := &x
	step(x)
	*p = 5
	x += step(1)
	fmt.Println(x, *p, p == &x)
	var ptrs []*int
	for i := range 3 {
		v := i * 10
		ptrs = append(ptrs, &v)
		step(v)
		v++
	}
	for _, p := range ptrs {
		fmt.Print(*p, " ")
	}
	fmt.Println()
	s := pair{a: 1}
	q := &s.b
	l := s.list[:]
	step(2)
	*q = 7
	l[1] = 8
	t := s
	step(3)
	s.a = 100
	*q = 9
	fmt.Println(s, t)
	arr := [3]int{1, 2, 3}
	sl := arr[1:]
	arr2 := arr
	step(4)
	sl[0] = 20
	arr2[0] = 10
	fmt.Println(arr, arr2, sl)
	fill(&s, step(5))
	fmt.Println(s)
	pp := &p
	step(6)
	**pp = 60
	fmt.Println(x)
	addr := param(7)
	step(*addr)
	*addr++
	fmt.Println(*addr, *param(7))
	r := result()
	*r = 4
	fmt.Println(*r, *result())
	s.inc()
	step(s.a)
	f := s.inc
	s = pair{a: 50}
	f()
	fmt.Println(s.a)
	m := map[string]*pair{"k": {a: step(8)}}
	m["k"].inc()
	fmt.Println(m["k"].a)
}

func (p *pair) inc() { p.a++ }

//cogen:async
func fill(p *pair, n int) {
	for i := range p.list {
		p.list[i] = step(n + i)
	}
}

//cogen:async
func param(n int) *int {
	step(n)
	return &n
}

//cogen:async
func result() (r *int) {
	var n int
	r = &n
	defer func() { n++ }()
	n = step(3)
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
