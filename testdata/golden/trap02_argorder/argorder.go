package trap02

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// Y stands for an await point; it prints its argument.
//
//cogen:async
func Y(n int) {
	fmt.Println("y", n)
	rt.Yield()
}

//cogen:async
func f(n int) int       { Y(n); return n }
func g(a, b, c int) int { return a*100 + b*10 + c }

//cogen:async
func work() { Y(g(g(f(1), f(2), f(3)), f(4), g(f(5), f(6), f(7)))); Y(f(1) + f(2)*f(3) - f(4)) }

// Main is the program.
func Main() { work() }
