// Package rangemap ranging over maps that change meanwhile.
package rangemap

import (
	"fmt"
	"math"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	m := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}
	sum := 0
	for k, v := range m {
		sum += v
		m[k] = v * 10
		quiet()
	}
	fmt.Println(sum, len(m), m)

	// An entry that is removed before it was reached is not produced.
	visited := 0
	for k := range m {
		visited++
		for other := range m {
			if other != k {
				delete(m, other)
				quiet()
			}
		}
		quiet()
	}
	fmt.Println(visited, len(m))

	// An entry that is replaced is produced with its new value.
	m = map[string]int{"x": 1, "y": 1}
	first := true
	for k, v := range m {
		fmt.Println("value", v)
		if first {
			first = false
			for other := range m {
				if other != k {
					m[other] = 2
				}
			}
		}
		quiet()
	}

	for k, v := range map[int]string{step(1): "one"} {
		fmt.Println(k, v)
		step(k)
	}
	var none map[int]int
	for range none {
		step(99)
	}
	var keys []int
	for k := range squares(4) {
		keys = append(keys, k+step(0))
	}
	slices.Sort(keys)
	fmt.Println(keys)
	n := map[float64]int{math.NaN(): 1, math.NaN(): 1}
	for k, v := range n {
		fmt.Println(k, step(v))
	}
	clear(n)
	fmt.Println(len(n))

	var k string
	var v int
	for k, v = range map[string]int{"only": 5} {
		quiet()
	}
	fmt.Println(k, v)

	// Growing a map while it is ranged over produces each old entry once.
	big := make(map[int]bool)
	for i := range 20 {
		big[i] = true
	}
	seen := make(map[int]int)
	for i := range big {
		seen[i]++
		if i < 1000 {
			for j := range 30 {
				big[1000+i*100+j] = true
			}
		}
		quiet()
	}
	for i := range 20 {
		if seen[i] != 1 {
			fmt.Println("entry", i, "seen", seen[i])
		}
	}
}

//cogen:async
func quiet() { rt.Yield() }

//cogen:async
func squares(n int) map[int]int {
	m := make(map[int]int)
	for i := range n {
		m[i] = step(i) * i
	}
	return m
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
