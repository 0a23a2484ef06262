package trap11

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// Y stands for an await point; it prints its argument.
//
//cogen:async
func Y(n int) {
	fmt.Println("y", n)
	rt.Yield()
}

//cogen:async
func work() {
	var ps []*int
	for k := range 3 {
		var x int
		x += k + 1
		Y(x)
		ps = append(ps, &x)
	}
	fmt.Println(*ps[0], *ps[1], *ps[2])
	n := 0
L:
	var y []int
	y = append(y, n)
	Y(len(y))
	n++
	if n < 3 {
		goto L
	}
}

// Main is the program.
func Main() { work() }
