// Package rangechan ranging over channels that never make the worker wait.
package rangechan

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 3
	close(c)
	for v := range c {
		step(v)
		if v == 2 {
			continue
		}
		fmt.Println("kept", v)
	}
	v, ok := <-c
	fmt.Println(v, ok)
	d := make(chan int, 2)
	d <- step(5)
	d <- step(6)
	for v := range ready(d) {
		step(v)
		if v == 6 {
			break
		}
	}
	e := make(chan int)
	close(e)
	fmt.Println(<-e + step(7))
	for range e {
		step(99)
	}
}

//cogen:async
func ready(c chan int) <-chan int { step(10); return c }

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
