// Package comments comments of the source stay with their statements.
package comments

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// work has comments everywhere.
//
//cogen:async
func work() {
	// before a
	a := step(1) // after a

	/* block */
	b := a + // inside an expression
		step(2)
	// before if
	if a < b { // at the brace
		// first in the block
		step(3)
		// last in the block
	} else {
		// only a comment
	}

	// about the loop
	for i := range 2 { // each
		// one
		step(i)

		// two
		fmt.Println(i) // printed
	}
	switch b {
	// before a case
	case 3: // at the case
		// in the case
		step(4)
	default:
		// nothing
	}
	// Await-free statements stay as they were written.
	x := map[string]int{
		"a":  1, // one
		"bb": 2, // two
	}
	fmt.Println(len(x),
		a, b, // the rest
	)
	// last
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
