// Package initialisers package variables that are set by async functions.
package initialisers

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

var (
	first  = second + quiet(1)
	second = quiet(2)
	table  = map[string]int{"a": quiet(3), "b": first}
)

func init() { table["init"] = quiet(4) }

//cogen:async
func work() {
	fmt.Println(first, second, table)
	first = step(first)
	fmt.Println(first)
}

//cogen:async
func quiet(n int) int {
	rt.Yield()
	return n * 10
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
