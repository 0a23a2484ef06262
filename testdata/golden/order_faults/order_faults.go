// Package orderfaults panics of operands keep their place among the awaits.
package orderfaults

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type box struct{ v int }

//cogen:async
func work() {
	for i := range 12 {
		try(i)
	}
}

//cogen:async
func try(n int) {
	defer func() {
		if e, ok := recover().(error); ok {
			fmt.Println(n, e)
		} else {
			fmt.Println(n, "no panic")
		}
	}()
	var (
		a    = []int{1}
		zero int
		p    *box
		x    any = "text"
		m    map[string]int
		f    func(int) int
		e    error
		arr  [2]int
	)
	switch n {
	case 0:
		fmt.Println(a[step(3)] + step(4))
	case 1:
		fmt.Println(step(1)/zero + step(2))
	case 2:
		fmt.Println(p.v + step(3))
	case 3:
		fmt.Println(x.(int) + step(4))
	case 4:
		m["k"] = step(5)
	case 5:
		fmt.Println(f(step(6)))
	case 6:
		fmt.Println(e.Error(), step(7))
	case 7:
		arr[step(5)] = step(6)
	case 8:
		fmt.Println(a[step(0):step(9)], step(10))
	case 9:
		fmt.Println(make([]int, step(-1)), step(2))
	case 10:
		fmt.Println([1]int(a[:step(0)]), step(3))
	case 11:
		fmt.Println(x == any(a) || any(a) == any(a), step(4))
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
