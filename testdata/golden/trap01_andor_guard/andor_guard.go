package trap01

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

type N struct{ v int }

//cogen:async
func (p *N) get() int { Y(p.v); return p.v }

//cogen:async
func tt(b bool, n int) bool { Y(n); return b }

//cogen:async
func work() {
	var p *N
	if p != nil && p.get() > 0 {
		Y(100)
	}
	if tt(false, 1) && tt(true, 2) {
		Y(101)
	}
	if tt(true, 3) || tt(true, 4) {
		Y(200)
	}
}

// Main is the program.
func Main() { work() }
