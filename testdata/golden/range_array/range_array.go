// Package rangearray ranging over arrays: a copy, a pointer, or neither.
package rangearray

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	a := [3]int{1, 2, 3}
	for i, v := range a {
		a[2] = 10
		step(i*100 + v)
	}
	a = [3]int{1, 2, 3}
	for i, v := range &a {
		a[2] = 10
		step(i*100 + v)
	}
	for i := range a {
		a = [3]int{}
		step(i)
	}
	var p *[2]int
	for i := range p {
		step(i)
	}
	for range p {
		step(70)
	}
	for i := range len(p) {
		step(i)
	}
	for i, v := range array() {
		step(i + v)
	}
	for i, v := range pointer(&a) {
		a[(i+1)%3] = 5 * i
		step(v)
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		broken(p)
	}()
}

//cogen:async
func array() [2]int { return [...]int{step(20), step(21)} }

//cogen:async
func pointer(a *[3]int) *[3]int { step(30); return a }

//cogen:async
func broken(p *[2]int) {
	for i, v := range p {
		step(i + v)
	}
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
