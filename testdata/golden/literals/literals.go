// Package literals function literals with awaits: called, deferred and started with go.
package literals

import (
	"errors"
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(called(3))
	fmt.Println(deferred(), recovered())
	spawned()
	fmt.Println(generic("g", 2))
	fmt.Println(nested(2))
	loop()
	values()
	fmt.Println(method(t{5}))
}

//cogen:async
func called(n int) (sum int, err error) {
	limit := n * 2
	err = func() error {
		for i := range n {
			sum += step(i)
			if sum > limit {
				return errors.New("over")
			}
		}
		return nil
	}()
	sum += func(a int, rest ...int) int { return step(a) + len(rest) }(10, 1, 2)
	x, y := func() (int, string) { return step(1), fmt.Sprint(step(limit)) }()
	fmt.Println(x, y)
	return sum + func(v int) int { v++; return step(v) }(step(7)) + sum, err
}

//cogen:async
func deferred() (n int) {
	n = 1
	defer func() {
		step(20)
		n *= 2
	}()
	defer func(m int) {
		fmt.Println("arg", step(m), n)
		n += m
	}(n)
	n = 5
	step(21)
	return n + 1
}

//cogen:async
func recovered() (s string) {
	defer func() {
		step(30)
		s = fmt.Sprint(recover())
		step(31)
	}()
	func() {
		defer func() { step(32) }()
		step(33)
		panic("inner")
	}()
	return "not here"
}

//cogen:async
func spawned() {
	ch := make(chan int)
	for i := range 3 {
		go func(m int) {
			rt.Yield()
			ch <- i*10 + m
		}(i + 1)
	}
	sum := 0
	for range 3 {
		sum += <-ch
	}
	fmt.Println("spawned", sum)
}

//cogen:async
func generic[T any](v T, n int) (out []T) {
	func() {
		for range n {
			step(40)
			out = append(out, v)
		}
	}()
	return out
}

//cogen:async
func nested(n int) int {
	total := 0
	func(k int) {
		func() {
			total += step(k) + n
			defer func() { total += step(100) }()
		}()
		total *= 2
	}(n + 1)
	if n > 0 {
		func() { total += nested(n - 1) }()
	}
	return total
}

//cogen:async
func loop() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		func() {
			step(50 + i)
			fs = append(fs, func() int { i += 10; return i })
		}()
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
}

//cogen:async
func values() {
	n := 0
	f := func(d int) int { n += step(d); return n }
	fmt.Println(f(1), f(2), n)
	apply(func(d int) { n += f(d) })
	fmt.Println(n)
}

//cogen:async
func apply(f func(int)) { f(step(60)) }

type t struct{ n int }

//cogen:async
func method(v t) int {
	return func() int { v.n++; return v.get() }() + v.n
}

//cogen:async
func (v *t) get() int { return step(v.n) }

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
