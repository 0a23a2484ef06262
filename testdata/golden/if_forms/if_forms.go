// Package ifforms awaits in every part of if statements.
package ifforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	if n := step(1); n == 1 {
		fmt.Println("then", n)
	}
	if n := step(2); n == 0 {
		fmt.Println("not here")
	} else if m := step(n + 1); m == 3 {
		fmt.Println("else if", n, m)
		step(m)
	} else {
		fmt.Println("not here", n, m)
	}
	if step(4) == 0 {
		step(5)
	} else {
		n := step(6)
		fmt.Println("else", n)
	}
	if ok := step(7) > 0; !ok {
		fmt.Println("not here")
	} else if ok := step(8) < 0; ok {
		fmt.Println("not here")
	} else if step(9); ok {
		fmt.Println("not here")
	} else {
		fmt.Println("last", ok)
	}
	x := 1
	if x := x + step(10); x > 5 {
		x++
		step(x)
	}
	fmt.Println(x)
	fmt.Println(sign(-3), sign(0), sign(3))
}

//cogen:async
func sign(n int) string {
	if n < 0 {
		step(n)
		return "negative"
	} else if n == 0 {
		return "zero"
	}
	step(n)
	return "positive"
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
