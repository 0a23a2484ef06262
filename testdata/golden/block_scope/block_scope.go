// Package blockscope blocks, shadowing and fresh variables around awaits.
package blockscope

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	x := 1
	{
		x := x + step(1)
		{
			x := x * step(10)
			fmt.Println(x)
		}
		step(x)
		fmt.Println(x)
	}
	fmt.Println(x)

	fmt := shadow{}
	fmt.Println(step(2))
	len := func(s string) int { return 100 }
	step(len("a"))
	true := false
	if step(3) == 3 && !true {
		fmt.Println("true is false")
	}
	var f, cx, state, next, poll int
	f, cx, state, next, poll = step(1), step(2), step(3), step(4), step(5)
	fmt.Println(f, cx, state, next, poll)
	names(1, 2, 3)
	type text string
	var s text = "local type"
	step(9)
	fmt.Println(s)

	var a, b = pair()
	fmt.Println(a)
	a, c := pair()
	step(8)
	fmt.Println(a, b, c)
	var d, e any = step(1), step(2)
	fmt.Println(d, e)
	var _, g = pair()
	_ = g
	var _ = step(7)
	_ = step(6)
}

type shadow struct{}

func (shadow) Println(a ...any) { fmt.Println(append([]any{"shadow"}, a...)...) }

//cogen:async
func names(f, cx, state int) (result, done, err int) {
	result = f + step(cx)
	{
		rt := state
		result += rt
		step(rt)
	}
	switch cx := cx + 1; cx {
	case 3:
		step(cx)
	}
	panicking, r := result, err
	rt.Yield()
	fmt.Println(f, cx, state, result, done, err, panicking, r)
	return
}

//cogen:async
func pair() (int, string) { return step(4), "pair" }

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
