package trap04

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
	x := 1
	inc := func() int { Y(0); x = 10; return 1 }
	fmt.Println(x + inc())
	a := []int{0, 0, 0}
	i := 0
	ch := func() int { i = 2; Y(0); return 7 }
	a[i] = ch()
	fmt.Println(a)
	k := 1
	fk := func() int { k = 5; Y(0); return 0 }
	pr := func(a, b, c int) { fmt.Println(a, b, c) }
	pr(k, fk(), k)
	h := func(int) string { return "old" }
	fh := func() int { Y(0); h = func(int) string { return "new" }; return 0 }
	fmt.Println(h(fh()))
	fmt.Println(doc())
}

//cogen:async
func set(p *any) error { Y(0); *p = 100; return nil }

//cogen:async
func doc() (any, error) { var v any; return v, set(&v) }

// Main is the program.
func Main() { work() }
