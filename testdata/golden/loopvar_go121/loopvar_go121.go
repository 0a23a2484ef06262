//go:build go1.21

// Package loopvargo121 loop variables that are one per loop, as before Go 1.22.
package loopvargo121

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { return i })
		step(i)
	}
	for _, v := range []int{4, 5} {
		fs = append(fs, func() int { return v })
		step(v)
	}
	for _, f := range fs {
		fmt.Println(f())
	}
	// A loop without awaits keeps its meaning too.
	fs = nil
	for i := 0; i < 2; i++ {
		fs = append(fs, func() int { return i })
	}
	for i, v := range []int{7, 8} {
		fs = append(fs, func() int { return i + v })
	}
	step(9)
	for _, f := range fs {
		fmt.Println(f())
	}
	var ps []*int
	for i := range []int{1, 2, 3} {
		ps = append(ps, &i)
		step(i)
	}
	fmt.Println(*ps[0], *ps[1], *ps[2])
	for i := 0; i < 2; i++ {
		defer func() { fmt.Println("deferred", i) }()
		step(i)
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
