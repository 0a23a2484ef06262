package trap22

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
func f(n int) int { Y(n); return n }

//cogen:async
func ch(c chan int, n int) chan int { Y(n); return c }

//cogen:async
func work() {
	c := make(chan int, 1)
	d := make(chan int, 1)
	a := []int{0, 0}
	select {
	case ch(c, 1) <- f(2):
		Y(3)
	case a[f(99)] = <-ch(d, 4):
		Y(98)
	}
	select {
	case a[f(1)] = <-ch(c, 5):
		fmt.Println(a)
	case ch(nil, 6) <- f(7):
	}
	for i := 0; i < 3; i++ {
		select {
		default:
			if i == 1 {
				break
			}
			Y(20 + i)
		}
		Y(30 + i)
	}
	e := make(chan int)
	close(e)
	var v int = 9
	var ok bool = true
	select {
	case v, ok = <-e:
		Y(v)
	}
	fmt.Println(v, ok)
}

// Main is the program.
func Main() { work() }
