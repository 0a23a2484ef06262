// Package crosspackage async functions of another package, used through their companions.
package crosspackage

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/testdata/golden/cross_package/lib"
)

//cogen:async
func work() {
	fmt.Println(lib.Add(step(1), 2))
	c := lib.NewCounter(step(3))
	c.Inc(2)
	c.Inc(step(4))
	fmt.Println(c.Value())
	fmt.Println(lib.Map([]int{1, 2}, func(n int) string { return fmt.Sprint(n * 10) }))
	fmt.Println(lib.Wait(2))
	defer lib.Trace("deferred")
	lib.Trace("called", "twice")
	fmt.Println(lib.Plain(5))
	w := wrapper{c}
	w.Inc(10)
	fmt.Println(w.Value(), lib.Pair[string, int]{A: "a", B: step(1)}.Swap())
	var v lib.Valuer = c
	fmt.Println(v.Value())
	if _, err := lib.Fail(step(7)); err != nil {
		fmt.Println(err)
	}
}

type wrapper struct{ *lib.Counter }

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
