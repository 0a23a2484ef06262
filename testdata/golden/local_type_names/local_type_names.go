// Package localtypenames has local types that hide others of the same name.
package localtypenames

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type point struct{ x, y int }

//cogen:async
func work() {
	fmt.Println(inner(), predeclared())
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

// Main is the program.
func Main() { work() }
