// Package forforms awaits in every part of for statements.
package forforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	for i := step(0); i < step(3); i += step(1) {
		if i == 1 {
			continue
		}
		fmt.Println("body", i)
	}
	i := 0
	for i < step(2) {
		i++
	}
	for {
		i++
		if step(i) == 5 {
			break
		}
	}
	for step(50); i < 7; i++ {
	}
	for i = 0; ; {
		i++
		if i == 2 {
			continue
		}
		if step(i) > 2 {
			break
		}
	}
	for i, j := 0, 10; i < j; i, j = i+step(4), j-step(2) {
		fmt.Println(i, j)
	}
	for range 2 {
		for range 2 {
			step(60)
		}
	}
	for i := 0; i < 2; i++ {
		i := i * 10
		step(i)
		fmt.Println("inner", i)
	}
	for false {
		step(99)
	}
	fmt.Println("end", i)
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
