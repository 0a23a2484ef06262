// Package goexitforms runtime.Goexit through frames with deferred calls that await.
package goexitforms

import (
	"fmt"
	"runtime"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	defer fmt.Println("work ends", recover())
	defer step(1)
	defer func() { fmt.Println("nothing to recover:", recover()) }()
	inner(2)
	fmt.Println("not here")
}

//cogen:async
func inner(n int) int {
	defer step(n)
	defer cleanup(n)
	if n == 0 {
		step(10)
		runtime.Goexit()
	}
	return inner(n-1) + step(n)
}

//cogen:async
func cleanup(n int) {
	defer func() { fmt.Println("cleanup recovers", recover()) }()
	if step(n) == 1 {
		panic("during goexit")
	}
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
