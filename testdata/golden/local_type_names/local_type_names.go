// Package localtypenames has local types that hide others of the same name.
package localtypenames

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type point struct{ x, y int }

//cogen:async
func work() {
	fmt.Println(inner(), predeclared(), unnamed(1, 2, 3))
}

//cogen:async
func inner() int {
	p := point{1, 2}
	{
		type point string
		v := point("inner")
		rt.Yield()
		p.x += len(v)
	}
	rt.Yield()
	return p.x
}

//cogen:async
func predeclared() string {
	n := 1
	type int string
	var s int = "local type"
	rt.Yield()
	return fmt.Sprint(n, s)
}

// unnamed has parameters without names beside one with the name that they get.
//
//cogen:async
func unnamed(_, _, p int) int {
	type point int
	rt.Yield()
	{
		type point string
		rt.Yield()
		return p + len(point("p"))
	}
}

// Main is the program.
func Main() { work() }
