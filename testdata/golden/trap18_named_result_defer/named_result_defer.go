package trap18

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
func a() (r int) { defer func() { r *= 2 }(); return f(21) }

//cogen:async
func b() (x, y int, err error) {
	defer func() {
		Y(7)
		if x == 1 {
			err = fmt.Errorf("e%d", y)
		}
	}()
	x = 1
	Y(x)
	y = 2
	return
}

//cogen:async
func c() (x int) { defer func() { recover(); x++ }(); x = 5; Y(1); var p *int; return *p }

//cogen:async
func work() { fmt.Println(a()); fmt.Println(b()); fmt.Println(c()) }

// Main is the program.
func Main() { work() }
