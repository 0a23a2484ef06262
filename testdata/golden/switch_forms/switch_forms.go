// Package switchforms awaits in every part of switch statements.
package switchforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	for i := range 4 {
		switch n := step(i); n {
		case step(0):
			fmt.Println("zero")
		default:
			fmt.Println("default", n)
			fallthrough
		case step(1), step(2):
			fmt.Println("one or two", n)
			step(10)
			if n == 2 {
				break
			}
			fmt.Println("end of case")
		}
	}
	switch {
	case step(3) > 5:
		fmt.Println("not here")
	case step(4) > 3 && step(5) > 0:
		fmt.Println("second")
	default:
		fmt.Println("not here")
	}
	switch x := 5; {
	case x > step(1):
		x++
		fmt.Println(x)
	}
	switch step(6) {
	}
	switch step(7); {
	default:
		step(8)
	}
	switch {
	case false:
		step(9)
	}
	x := 1
	switch x {
	case change(&x):
		fmt.Println("tag was read early")
	default:
		fmt.Println("tag was read late")
	}
	fmt.Println(name(1), name(2), name(3))
	switch s := fmt.Sprint(step(1)); s {
	case "1":
		x := "shadow"
		step(2)
		fmt.Println(x)
	case "2":
		x := 3
		step(x)
	}
	switch any(step(1)).(int) {
	case 1:
		step(2)
	}
	switch f := step; f(1) {
	case 1:
		fmt.Println("called")
	}
}

//cogen:async
func change(x *int) int { *x = step(2); return 1 }

//cogen:async
func name(n int) string {
	switch n {
	case 1:
		step(n)
		return "one"
	case 2:
		return "two"
	}
	return fmt.Sprint("many", step(n))
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
