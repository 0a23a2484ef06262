// Package namesoftypes variables that have the names of types, packages and builtins.
package namesoftypes

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	s := "text"
	var e error
	a := any(1)
	string := step(1)
	error := step(2)
	fmt.Println(s, e, a, string, error)
	s += "!"
	a = step(3)
	int := 2.5
	n := step(4)
	fmt.Println(s, a, int, n)
	rt := 6
	yield()
	fmt.Println(rt)
	locals()
	fmt.Println(several(yieldBoth()))
	hidden()
	fmt := "shadowed package"
	n = step(len(fmt))
	print(n, fmt)
	step := func(n float64) float64 { return n * 2 }
	int = step(int)
	yield()
	print(7, "done")
	_ = int
}

//cogen:async
func yield() { rt.Yield() }

//cogen:async
func print(n int, s string) {
	rt.Yield()
	fmt.Println(n, s)
}

//cogen:async
func locals() {
	true, false := false, true
	if !true && false {
		step(8)
	}
	nil := 3
	len := func(int) int { return 42 }
	make, new, append, cap := 1, 2, 3, 4
	step(len(nil))
	defer func() { fmt.Println(make, new, append, cap) }()
	panic := func(s string) { fmt.Println("no panic", s) }
	panic("at all")
	step(9)
	recover := func() int { return 10 }
	fmt.Println(recover())
	f := func(f, fr, cx int) int { return f + fr + cx }
	step(f(1, 2, 3))
	bool := step(5)
	ok := bool == 5 && step(6) == 6
	fmt.Println(ok, bool)
	uint8, byte := uint8(step(300)), byte(step(2))
	fmt.Println(uint8, byte)
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

type kept struct{ n int }

//cogen:async
func yieldBoth() (*kept, int) { rt.Yield(); return &kept{1}, 2 }

func several(k *kept, n int) int { return k.n + n }

// hidden has a constant with the name of a type that only its temporaries have.
//
//cogen:async
func hidden() {
	fmt.Println(several(yieldBoth()))
	const kept = "constant"
	rt.Yield()
	fmt.Println(kept)
}
