// Package panicends a panic that leaves the program.
package panicends

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	defer fmt.Println("deferred in work")
	defer step(1)
	deep(2)
	fmt.Println("not here")
}

//cogen:async
func deep(n int) {
	defer fmt.Println("deferred", n)
	if step(n) == 0 {
		var m map[string]int
		m["x"] = step(9)
	}
	deep(n - 1)
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
