// Package orderlogic && and || whose operands await.
package orderlogic

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	for i := range 8 {
		a, b, c := i&4 != 0, i&2 != 0, i&1 != 0
		fmt.Println(is(a, 1) && is(b, 2) || is(c, 3))
		fmt.Println(is(a, 1) && (is(b, 2) || is(c, 3)))
		fmt.Println(!(is(a, 1) || is(b, 2)) == is(c, 3))
	}
	x := 1
	ok := x == 1 && bump(&x) == 2 && x == 2
	fmt.Println(ok, x)
	ok = ok || is(true, 4)
	ok = is(false, 5) || ok
	fmt.Println(ok)
	pair(is(true, 6) && is(false, 7), is(false, 8) || is(true, 9))
	var p *int
	if p == nil || *p+step(1) > 0 {
		fmt.Println("nil")
	}
	if p != nil && *p > step(2) {
		fmt.Println("not here")
	}
	for i := 0; i < 3 && is(i < 2, i); i++ {
		fmt.Println("loop", i)
	}
	switch {
	case is(false, 10) || is(false, 11), is(true, 12) && is(true, 13):
		fmt.Println("case")
	}
	a := []bool{is(true, 14) && x > 0, x < 0 && is(true, 15), x < 0 || is(false, 16)}
	fmt.Println(a, valid(5), valid(-5), valid(50))
	n := 3
	if n > 5 && step(1) > 0 || n > 2 && step(2) > 0 {
		fmt.Println("done")
	}
}

//cogen:async
func is(b bool, n int) bool { step(n); return b }

//cogen:async
func bump(p *int) int { *p++; return step(*p) }

//cogen:async
func pair(a, b bool) { step(20); fmt.Println(a, b) }

//cogen:async
func valid(n int) bool { return n > 0 && step(n) < 10 && step(n+1) > n }

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
