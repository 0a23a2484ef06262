// Package loopvar loop variables that are new in each iteration.
package loopvar

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	var fs []func() int
	for i, j := 0, 10; i < j; i, j = i+1, j-3 {
		fs = append(fs, func() int { i++; j++; return i*100 + j })
		step(i)
		j += step(0)
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
	fs = nil
	for i := 0; i < 4; i++ {
		defer func() { fmt.Println("deferred", i) }()
		if i == 1 {
			i++
			continue
		}
		fs = append(fs, func() int { return i })
		step(i)
	}
	for i := 0; i < step(2); {
		fs = append(fs, func() int { return i + 50 })
		i++
	}
	for _, f := range fs {
		fmt.Println(f())
	}
	// The condition and the post statement see the copy of their iteration.
	var p *int
	for i := 0; i < 3; func() { i++; p = &i }() {
		if p != nil {
			fmt.Println(p == &i, *p)
		}
		step(i)
	}
	var ks []*string
	for _, k := range []string{"a", "b"} {
		ks = append(ks, &k)
		step(len(k))
		k += "!"
	}
	fmt.Println(*ks[0], *ks[1])
	for i := range 2 {
		go func() { _ = i }()
		step(i)
	}
	var gs []func()
outer:
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			gs = append(gs, func() { fmt.Println(i, j) })
			if step(j) == i {
				continue outer
			}
		}
	}
	for _, g := range gs {
		g()
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
