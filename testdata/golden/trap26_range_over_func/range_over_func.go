package trap26

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

func seq(yield func(int) bool) {
	defer fmt.Println("seq done")
	for i := 0; i < 5; i++ {
		if !yield(i) {
			fmt.Println("stopped")
			return
		}
	}
}

//cogen:async
func g() (r int) {
	for v := range seq {
		defer func() { fmt.Println("defer", v); r++ }()
		Y(v)
		if v == 1 {
			continue
		}
		if v == 3 {
			return v * 10
		}
	}
	return -1
}

//cogen:async
func work() {
	fmt.Println(g())
	func() {
		defer func() { fmt.Println("rec", recover()) }()
		for v := range seq {
			Y(v)
			panic("in body")
		}
	}()
}

// Main is the program.
func Main() { work() }
