// Package selectforms select statements around awaits.
package selectforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	waiting := make(chan bool)
	go forever(waiting)
	fmt.Println(<-waiting)
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

// forever does not return, so it needs no return statement.
//
//cogen:async
func forever(waiting chan bool) int {
	step(30)
	waiting <- true
	select {}
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
