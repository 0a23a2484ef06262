// Package rangefunc ranging over functions: the body stays plain.
package rangefunc

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	for v := range count(3) {
		step(v)
	}
	fmt.Println(find(2))
	fmt.Println(find(9))
	for k, v := range slices.All([]string{"a", "b"}) {
		fmt.Println(k, v)
		step(k)
	}
outer:
	for v := range count(3) {
		for w := range count(3) {
			if w == v {
				continue outer
			}
			if w == 2 {
				break outer
			}
			step(v*10 + w)
		}
	}
	fmt.Println(sum())
}

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				fmt.Println("stopped")
				return
			}
		}
	}
}

//cogen:async
func find(n int) (string, bool) {
	for v := range count(4) {
		if step(v) == n {
			return fmt.Sprint("found ", v), true
		}
	}
	step(80)
	return "", false
}

//cogen:async
func sum() (total int) {
	defer func() { total++ }()
	for v := range count(3) {
		defer func() { fmt.Println("deferred", v, step(v)) }()
		total += step(v)
	}
	return total
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
