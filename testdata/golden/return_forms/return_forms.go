// Package returnforms results: awaited, named, spread, and read late.
package returnforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(one())
	fmt.Println(two())
	fmt.Println(spread())
	fmt.Println(named(1))
	fmt.Println(named(2))
	fmt.Println(shadowed())
	fmt.Println(late())
	fmt.Println(swap(1, 2))
	fmt.Println(conv())
	fmt.Println(join(two()))
	nothing(1)
	nothing(-1)
	_, s := two()
	fmt.Println(s)
	fmt.Println(blank(1, 2))
	a, b, c := three()
	fmt.Println(a, b, c)
	fmt.Println(early([]int{1, 5, 2}))
	fmt.Println(never(3))
}

//cogen:async
func one() int { return step(1) + step(2) }

//cogen:async
func two() (int, string) { return step(3), fmt.Sprint(step(4)) }

//cogen:async
func spread() (int, string) { return two() }

//cogen:async
func three() (a int, b string, c error) {
	a, b = two()
	return a, b, fmt.Errorf("e%d", step(5))
}

//cogen:async
func named(n int) (x, y int, err error) {
	x = step(n)
	if n == 2 {
		return step(10), x, nil
	}
	y = step(20)
	err = fmt.Errorf("n is %d", n)
	return
}

//cogen:async
func shadowed() (x int) {
	x = 1
	{
		x := step(50)
		step(x)
	}
	if x := step(2); x > 0 {
		return x + 1
	}
	return
}

//cogen:async
func late() (x int, y int) {
	x = 1
	return x, set(&x)
}

//cogen:async
func set(p *int) int { *p = 100; return step(6) }

//cogen:async
func swap(a, b int) (x, y int) {
	x, y = a, b
	step(7)
	return y, x
}

//cogen:async
func conv() (any, error) { return step(8), nil }

//cogen:async
func join(n int, s string) string { step(n); return fmt.Sprint(n, s) }

//cogen:async
func nothing(n int) {
	if n < 0 {
		return
	}
	step(n)
	return
}

//cogen:async
func blank(_ int, _ int) (_ int, _ string) { return step(9), "blank" }

//cogen:async
func early(s []int) (int, bool) {
	for i, v := range s {
		if step(v) == 5 {
			return i, true
		}
	}
	return -1, false
}

//cogen:async
func never(n int) int {
	for {
		if n == step(0) {
			panic("not here")
		}
		n--
		if n == 1 {
			return n
		}
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
