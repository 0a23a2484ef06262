// Package constants declares constants whose names mean other things around them.
package constants

import (
	"fmt"
	"math"

	"github.com/cogen-go/cogen/rt"
)

const x = 2

//cogen:async
func work() {
	fmt.Println(x, step(0))
	const (
		a    = iota
		iota = iota
		b
		c
	)
	fmt.Println(a, iota, b, c, step(1))
	const (
		x = x + x
		y
		z = iota + x
	)
	fmt.Println(x, y, z, step(2))
	{
		const x, math = float32(x) + 0.5, math.MaxInt8
		const (
			y, z = x * 2, math + 1
			_, _
			v, w
		)
		fmt.Printf("%T %v %v %v %v %v %v %d\n", x, x, math, y, z, v, w, step(3))
	}
	for i := range step(2) {
		type wide int64
		const (
			x wide = 1 << (iota + x)
			large
		)
		fmt.Printf("%T %v %T %v %d\n", x, x, large, large, step(i))
	}
	fmt.Println(x, y, math.MinInt8, step(4))
	var list [5]int
	p := &list
	const n, m = len(list), cap(p) + 1
	type lists [len(list)]int
	fmt.Printf("%T %v %v %d\n", n, n, m, step(5))
	fmt.Println(lists{1, step(6)}, list)
}

//cogen:async
func step(n int) int {
	rt.Yield()
	return n
}

// Main is the program.
func Main() { work() }
