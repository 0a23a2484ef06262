package trap14

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
	a := [3]int{1, 2, 3}
	for i, v := range a {
		a[2] = 9
		Y(i*10 + v)
	}
	for i, v := range &a {
		a[2] = 7
		Y(i*10 + v)
	}
	s := []int{1, 2, 3}
	for i, v := range s {
		s = nil
		Y(i*10 + v)
	}
	var i, v int
	for i, v = range []int{5, 6, 7} {
		Y(v)
	}
	fmt.Println(i, v)
	for j := range 5 {
		Y(j)
		j += 2
	}
	for i, r := range "a\xffé" {
		Y(i*1000 + int(r))
	}
}

// Main is the program.
func Main() { work() }
