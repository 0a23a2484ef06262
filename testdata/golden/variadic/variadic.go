// Package variadic variadic functions, spread slices and spread results.
package variadic

import (
	"fmt"
	"strings"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	show("none")
	show("one", step(1))
	show("many", step(1), step(2), step(3))
	s := []int{4, 5}
	show("slice", s...)
	fmt.Println(s)
	show("nil", nil...)
	show(label())
	show("spread", list(2)...)
	fmt.Println(join(three()))
	fmt.Println(anys(1, "a", nil, step(2), s))
	fmt.Println(anys())
	fmt.Println(anys([]any{1, step(3)}...))
	t := &thing{}
	t.add(step(1), step(2))
	t.add()
	fmt.Println(t.all)
	defer show("deferred", step(5), step(6))
	keep := save(s...)
	s[0] = 100
	fmt.Println(keep[0])
	fmt.Println(max(step(1), step(9)), fmt.Sprint(step(1), step(2), "x"))
}

//cogen:async
func show(name string, n ...int) {
	step(len(n))
	fmt.Println(name, n, n == nil)
	for i := range n {
		n[i] *= 10
	}
}

//cogen:async
func label() (string, int, int) { return "results", step(7), step(8) }

//cogen:async
func list(n int) []int { return make([]int, step(n)) }

//cogen:async
func three() (string, string, string) { step(3); return "a", "b", "c" }

//cogen:async
func join(s ...string) string { step(len(s)); return strings.Join(s, "+") }

//cogen:async
func anys(a ...any) int { step(len(a)); return len(a) }

//cogen:async
func save(n ...int) []int { step(1); return n }

type thing struct{ all []int }

//cogen:async
func (t *thing) add(n ...int) { step(len(n)); t.all = append(t.all, n...) }

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
