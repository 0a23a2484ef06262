package trap08

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
func f(n int) int { Y(n); return n }

type S struct {
	A, B int
	M    map[int]int
}

//cogen:async
func work() {
	s := S{B: f(1), A: f(2), M: map[int]int{f(3): f(4), f(5): f(6)}}
	fmt.Println(s)
	a := [...]int{2: f(7), f(8)}
	fmt.Println(a)
}

// Main is the program.
func Main() { work() }
