// Package labels labelled loops, blocks and switches that await.
package labels

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	n := 0
outer:
	for i := 0; i < 3; i++ {
	inner:
		for j := 0; ; j++ {
			switch step(i*10 + j) {
			case 1:
				continue outer
			case 11:
				continue inner
			case 12:
				break inner
			case 20:
				break outer
			}
			n++
		}
		fmt.Println("after inner", i)
	}
	fmt.Println(n)
one:
	switch {
	default:
		if step(30) == 30 {
			break one
		}
		fmt.Println("not here")
	}
choice:
	switch step(31) {
	case 31:
		for i := range 5 {
			if step(40+i) == 42 {
				break choice
			}
		}
		fmt.Println("not here")
	}
	c := make(chan int, 1)
	c <- 1
loop:
	for {
		select {
		case v := <-c:
			step(v)
			c <- v + 1
			if v == 3 {
				break loop
			}
			continue loop
		}
	}
rows:
	for _, row := range [][]int{{1, 2}, {3, -1, 4}, {5}} {
		for _, v := range row {
			if v < 0 {
				continue rows
			}
			step(v)
		}
		fmt.Println("row done")
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
