// Package literalscalled function literals with awaits that are called, deferred or started.
package literalscalled

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	n := 1
	func() {
		n += step(10)
		fmt.Println(n)
	}()
	s, err := func(a int, rest ...string) (string, error) {
		if step(a) > 1 {
			return fmt.Sprint(rest), fmt.Errorf("more than %d", n)
		}
		return "", nil
	}(2, "x", "y")
	fmt.Println(s, err)
	defer func(k int) {
		fmt.Println("deferred", k, n, step(k))
	}(n)
	defer func() {
		e := recover()
		step(3)
		fmt.Println("recovered", e, recover())
		n = 50
	}()
	for i := range 2 {
		func() {
			defer func() { fmt.Println("inner deferred", i, step(i)) }()
			func() {
				i += step(100)
				n++
			}()
			fmt.Println(i, n)
		}()
	}
	x := func() int { return step(4) }() + func() int { n = 7; return step(5) }()*n
	fmt.Println(x)
	done := make(chan int)
	for i := range 3 {
		go func() {
			rt.Yield()
			i *= n
			done <- i
		}()
	}
	fmt.Println(<-done + <-done + <-done)
	if func() bool { return step(6) == 6 }() && n > 0 {
		fmt.Println("and")
	}
	f := func() int { return step(8) }
	fmt.Println(f() + f())
	g := func() func() int {
		k := step(9)
		return func() int { k++; return k }
	}()
	fmt.Println(g(), g())
	fmt.Println(generic(3), generic("s"))
	fmt.Println(results())
	func() {
		func() {
			n = step(11)
			panic(fmt.Sprint("deep ", n))
		}()
	}()
	fmt.Println("not here")
}

//cogen:async
func generic[T any](v T) (list []T) {
	for range 2 {
		func() {
			step(1)
			list = append(list, v)
		}()
	}
	return
}

//cogen:async
func results() (n int, err error) {
	defer func() {
		n += step(20)
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	n = 1
	func() {
		n += step(2)
		return
	}()
	func() { panic("in a literal") }()
	return 100, nil
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
