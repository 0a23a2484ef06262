// Package deadcode code that is never reached and statements without effect.
package deadcode

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(infinite())
	fmt.Println(after())
	empty()

	{
	}
	for range 0 {
		step(1)
	}
	if false {
		step(2)
	}
	switch {
	}
	const debug = false
	if debug && step(3) > 0 {
		fmt.Println("not here")
	}
	_ = func() { step(4) }
	var unused func(int) int = step
	_ = unused
	fmt.Println(constant())
}

//cogen:async
func infinite() int {
	for {
		return step(5)
	}
}

//cogen:async
func after() int {
	return step(6)
	step(7)
	panic("not here")
}

//cogen:async
func empty() {}

//cogen:async
func constant() int {
	const c = len([3]int{})
	return c
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
