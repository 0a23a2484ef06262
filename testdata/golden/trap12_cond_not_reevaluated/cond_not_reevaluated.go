package trap12

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
	i := 3
	for i > 0 {
		i--
		Y(i)
	}
	x := 0
	if x == 0 {
		x = 1
		Y(10)
		Y(11)
	} else {
		Y(99)
	}
	switch {
	case x == 1:
		x = 2
		Y(12)
		Y(13)
	case x == 2:
		Y(98)
	}
}

// Main is the program.
func Main() { work() }
