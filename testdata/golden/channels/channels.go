// Package channels channel operations that really have to wait.
package channels

import (
	"fmt"
	"time"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	c := make(chan int)
	done := make(chan string)
	go produce(c, 4)
	go func() {
		sum := 0
		for v := range c {
			sum += v
		}
		done <- fmt.Sprint("sum ", sum)
	}()
	fmt.Println(<-done)

	fmt.Println(pipeline(5))
	fmt.Println(<-later(1) + <-later(2)*10)
	v, ok := <-closing()
	fmt.Println(v, ok)

	// Both sides of a rendezvous are tasks.
	ping, pong := make(chan int), make(chan int)
	go player(ping, pong)
	for i := range 3 {
		ping <- i
		fmt.Println("back", <-pong)
	}
	close(ping)
	fmt.Println(<-pong)

	var nothing chan int
	select {
	case <-nothing:
		fmt.Println("not here")
	case v := <-later(3):
		fmt.Println("later", v)
	}
	out := make(chan int)
	go func() { done <- fmt.Sprint("received ", <-out) }()
	select {
	case out <- step(7):
		fmt.Println(<-done)
	case nothing <- step(8):
	}
	fmt.Println(first(later(4), nothing))
	fmt.Println(merge(later(5), later(6)))
	func() {
		defer func() { fmt.Println(recover()) }()
		sendClosed()
	}()
	m := map[string]chan int{"a": later(8)}
	x := [2]int{}
	x[step(1)], ok = <-m["a"]
	fmt.Println(x, ok)
	commaOk(later(9))
	timeout := time.After(time.Millisecond)
	select {
	case <-nothing:
	case <-timeout:
		fmt.Println("timeout")
	}
}

//cogen:async
func produce(c chan<- int, n int) {
	defer close(c)
	for i := range n {
		rt.Yield()
		c <- i
	}
}

//cogen:async
func pipeline(n int) (all []int) {
	source, squares := make(chan int), make(chan int)
	go produce(source, n)
	go square(source, squares)
	for v := range squares {
		all = append(all, v)
	}
	return
}

//cogen:async
func square(in <-chan int, out chan<- int) {
	for v := range in {
		out <- v * v
	}
	close(out)
}

//cogen:async
func player(in <-chan int, out chan<- int) {
	for v := range in {
		out <- v * 100
	}
	out <- -1
}

//cogen:async
func later(n int) chan int {
	c := make(chan int)
	go func() {
		rt.Sleep(time.Millisecond)
		c <- n
	}()
	return c
}

//cogen:async
func closing() <-chan int {
	c := make(chan int)
	go func() {
		rt.Yield()
		close(c)
	}()
	return c
}

// commaOk receives whether the channel was open in places of other types than bool.
//
//cogen:async
func commaOk(c chan int) {
	type open bool
	var ok open
	var boxed any
	var n int
	n, ok = <-c
	fmt.Println(n, ok)
	_, ok = <-closing()
	fmt.Println(ok)
	_, boxed = <-closing()
	fmt.Println(boxed)
	bools := make(chan open, 1)
	bools <- true
	var value, ok2 open = <-bools
	fmt.Println(value, ok2)
	places := map[int]open{}
	select {
	case n, places[step(10)] = <-later(11):
		fmt.Println(n, places)
	}
	select {
	case _, boxed = <-closing():
		fmt.Println(boxed)
	}
}

//cogen:async
func first(a, b chan int) (n int, from string) {
	for {
		select {
		case n = <-a:
			return n, "a"
		case n, ok := <-b:
			return n, fmt.Sprint("b ", ok)
		}
	}
}

//cogen:async
func merge(cs ...chan int) int {
	sum := 0
	for a, b := cs[0], cs[1]; a != nil || b != nil; {
		select {
		case v := <-a:
			sum += v
			a = nil
		case v := <-b:
			sum += v
			b = nil
		}
	}
	return sum
}

//cogen:async
func sendClosed() {
	c := make(chan int)
	close(c)
	defer fmt.Println("deferred")
	c <- step(9)
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
