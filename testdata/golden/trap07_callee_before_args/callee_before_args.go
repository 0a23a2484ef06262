package trap07

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
	f := func() func(int, int) { Y(1); return func(a, b int) { Y(a*10 + b) } }
	g := func() (int, int) { Y(2); return 3, 4 }
	f()(g())
}

// Main is the program.
func Main() { work() }
