package trap23

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
func f(i int) int { Y(100 + i); return i + 1 }

//cogen:async
func work() {
outer:
	for i := range []int{1, 2, 3} {
		for j := range []int{1, 2, 3} {
			switch {
			case j == 1:
				continue outer
			case i == 2:
				break outer
			}
			Y(i*10 + j)
		}
	}
	switch 1 {
	case 1:
		Y(1)
		fallthrough
	case 2:
		Y(2)
	default:
		Y(3)
	}
	i := 0
top:
	Y(i)
	i++
	if i < 3 {
		goto top
	}
	for i := 0; i < 3; i = f(i) {
		if i == 1 {
			continue
		}
		Y(i)
	}
	switch f(1) {
	case f(5), f(2):
		Y(50)
	case f(6), f(7):
		Y(51)
	default:
		Y(52)
	}
}

// Main is the program.
func Main() { work() }
