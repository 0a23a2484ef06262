// Package rangeint ranging over integers.
package rangeint

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type small int8

//cogen:async
func work() {
	for i := range 3 {
		step(i)
		i = 10
	}
	n := 3
	for i := range n {
		n = 100
		step(i)
	}
	for range step(2) {
		fmt.Println("again")
		rt.Yield()
	}
	for i := range small(2) {
		fmt.Printf("%T %d\n", i, step(int(i)))
	}
	for i := range -1 {
		step(i)
	}
	var u uint8
	for u = range 4 {
		step(int(u))
	}
	fmt.Println(u)
	const big = 2
	for i := range big {
		fmt.Printf("%T\n", i)
		rt.Yield()
	}
	var fs []func() int
	for i := range 2 {
		fs = append(fs, func() int { i++; return i })
		step(i)
	}
	fmt.Println(fs[0](), fs[0](), fs[1]())
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
