// Package names names that could collide with generated ones.
package names

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type frame struct{ state int }

type Context struct{}

var f, cx, state, result, panicking = 1, 2, 3, 4, 5

var Future, Poll, Init, Result = "Future", "Poll", "Init", "Result"

//cogen:async
func work() {
	fmt.Println(poll(1), Init, Poll, Result, Future, Context{})
	fmt.Println(receiver{1}.next(2))
	labels(1)
	fmt.Println(f, cx, state, result, panicking)
	f := frame{step(6)}
	cx := f
	step(7)
	fmt.Println(f, cx)
	r0, r1, t0, t1, tmp, v1 := step(1), step(2), step(3), step(4), step(5), step(6)
	fmt.Println(r0, r1, t0, t1, tmp, v1)
	_f, f_, f1, x1, x2 := 1, 2, 3, 4, 5
	step(_f + f_)
	fmt.Println(_f, f_, f1, x1, x2)
	fmt.Println(under_score(1), ünïcode(2), X(3))
	nil := step(8)
	fmt.Println(nil)
	string, error, any, bool, byte := 1, 2, 3, 4, 5
	fmt.Println(string, error, any, bool, byte, step(9))
	iota, append, panic, recover, new, make := 1, 2, 3, 4, 5, 6
	fmt.Println(iota, append, panic, recover, new, make, step(10))
}

//cogen:async
func poll(rt int) (state int) {
	defer func() { state++ }()
	f := func() int { return rt }
	step(rt)
	state = f()
	return state + step(f())
}

type receiver struct{ f int }

//cogen:async
func (cx receiver) next(state int) (f int) {
	f = cx.f + step(state)
	return
}

//cogen:async
func labels(n int) {
	goto resume
resume:
	step(n)
	goto done
done:
	step(n + 1)
s1:
	for {
		step(n)
		break s1
	}
	goto entry
entry:
	goto state1
state1:
}

//cogen:async
func under_score(n int) int { return step(n) }

//cogen:async
func ünïcode(n int) int { return step(n) }

//cogen:async
func X(n int) int { return step(n) }

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
