// Package selectforms select statements around awaits.
package selectforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	c := make(chan int, 2)
	var never chan int
	for i := range 4 {
		select {
		case c <- i:
			step(i)
			fmt.Println("sent", i)
		case <-never:
			fmt.Println("not here")
		default:
			fmt.Println("full", step(10+i))
		}
	}
	for {
		select {
		case v, ok := <-c:
			fmt.Println(v, ok)
			if !ok {
				return
			}
			if step(v) == 1 {
				close(c)
			}
			continue
		}
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
