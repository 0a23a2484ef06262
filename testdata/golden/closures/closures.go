// Package closures closures that share variables with the frame.
package closures

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(shadowed(1))
	n := 0
	add := func(d int) int { n += d; return n }
	add(1)
	step(n)
	n = 10
	fmt.Println(add(5), n)
	get, set := cell(3)
	set(step(4))
	fmt.Println(get())
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 2; return i })
		i += step(0)
		fs[i]()
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
	fs = nil
	for i, v := range []int{5, 6} {
		fs = append(fs, func() int { v++; return v + i })
		step(v)
		v += 100
	}
	fmt.Println(fs[0](), fs[1](), fs[0]())
	fs = nil
	for i := 0; i < 2; i++ {
		v := step(i)
		fs = append(fs, func() int { v++; return v })
		if v == 0 {
			continue
		}
		v += 50
	}
	fmt.Println(fs[0](), fs[1](), fs[0](), fs[1]())
	fmt.Println(apply(func(x int) int { n += x; return step(n) }, 3), n)
	fact := func(int) int { return 0 }
	fact = func(k int) int {
		if k <= 1 {
			return 1
		}
		return k * fact(k-1)
	}
	fmt.Println(fact(step(5)))
	fmt.Println(parameter(1)())
	f, err := resultCaptured()
	f()
	fmt.Println(err)
	if x := step(1); x > 0 {
		g := func() { x++ }
		g()
		step(x)
		g()
		fmt.Println(x)
	}
	switch y := any(step(2)).(type) {
	case int:
		g := func() int { y++; return y }
		g()
		step(y)
		fmt.Println(g(), y)
	}
	var late func() int
	z := step(7)
	late = func() int { return z }
	z = step(8)
	fmt.Println(late())
}

//cogen:async
func cell(n int) (func() int, func(int)) {
	step(n)
	return func() int { return n }, func(v int) { n = v }
}

//cogen:async
func apply(f func(int) int, n int) int {
	r := f(n)
	step(r)
	return f(r)
}

//cogen:async
func parameter(n int) func() int {
	f := func() int { n++; return n }
	f()
	step(n)
	n *= 10
	return f
}

//cogen:async
func resultCaptured() (f func(), err error) {
	f = func() { fmt.Println("err is", err) }
	err = fmt.Errorf("set %d", step(3))
	f()
	return f, fmt.Errorf("returned %d", step(4))
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

// shadowed has a block that captures a variable and declares another of its name.
//
//cogen:async
func shadowed(n int) (s []int) {
	v := step(n)
	{
		v := func() func() int { return func() int { return v } }
		s = append(s, v()())
	}
	{
		i := 0
	again:
		v := func() int { return v + i }
		if i++; i < 3 {
			s = append(s, v())
			goto again
		}
	}
	return append(s, v)
}
