package trap10

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
func work() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
		Y(i)
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
	var ps []*int
	for i := 0; i < 6; i++ {
		ps = append(ps, &i)
		i++
		Y(i)
	}
	for _, p := range ps {
		fmt.Println(*p)
	}
}

// Main is the program.
func Main() { work() }
