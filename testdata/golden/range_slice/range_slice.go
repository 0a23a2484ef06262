// Package rangeslice ranging over slices whose variables and elements change meanwhile.
package rangeslice

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	s := []int{1, 2, 3}
	for i, v := range s {
		s[2] = 30
		s = append(s, v)
		fmt.Println(i, step(v))
	}
	fmt.Println(s)

	for i := range s {
		s = s[:2]
		step(i)
		if i == 3 {
			break
		}
	}
	var a [3]int
	i := 0
	for i, a[step(i)] = range []int{7, 8, 9} {
		fmt.Println(i, a)
	}
	for _, v := range values(2) {
		defer fmt.Println("deferred", v)
		step(v)
	}
	for range s {
		step(50)
	}
	var none []string
	for _, v := range none {
		fmt.Println("not here", v)
		step(0)
	}
	type pair struct{ k, v int }
	for _, p := range []pair{{1, 2}, {3, 4}} {
		p.k += step(p.v)
		fmt.Println(p)
	}
	for _, p := range []*pair{{1, 2}, {3, 4}} {
		p.k += step(p.v)
		fmt.Println(*p)
	}
	matrix := [][]int{{1, 2}, {3}}
	for _, row := range matrix {
		for j := range row {
			row[j] += step(row[j])
		}
	}
	fmt.Println(matrix)
}

//cogen:async
func values(n int) []int { return []int{step(n), step(n + 1)} }

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
