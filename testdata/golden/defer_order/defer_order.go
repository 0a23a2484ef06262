// Package deferorder deferred calls: when their parts are evaluated and in which order they run.
package deferorder

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type counter struct{ n int }

func (c counter) value(s string)    { fmt.Println("value", c.n, s) }
func (c *counter) pointer(s string) { fmt.Println("pointer", c.n, s) }

//cogen:async
func (c *counter) async(s string) { step(c.n); fmt.Println("async", c.n, s) }

//cogen:async
func work() {
	basic()
	fmt.Println(loop(3))
	methods()
	conditional(true)
	conditional(false)
	builtins()
	nested()
	fmt.Println(results())
	converted(1)
	converted(0)
}

// converted has arguments that become interfaces, which gc does early.
//
//cogen:async
func converted(n int) {
	defer func() { fmt.Println("recovered", recover()) }()
	rt.Yield()
	x := 1
	bump := func() int { x++; fmt.Println("bump", x); return x }
	defer fmt.Println("read before", x, bump())
	defer show(x, bump())
	defer one(x+x, bump())
	list := []string{"a", "b"}
	defer fmt.Println(list[n:][1-n], bump())
	defer fmt.Println("abc"[3*(1-n)], bump())
	defer fmt.Println(list[2-n], bump())
	fmt.Println("not reached if n is 0")
}

func show[T any](v T, n any) { fmt.Println("show", v, n) }

func one(v any, n int) { fmt.Println("one", v, n) }

//cogen:async
func basic() {
	x := 1
	defer fmt.Println("first", x)
	x = step(2)
	defer fmt.Println("second", x, step(3))
	defer async(x)
	x = 4
	defer func() { fmt.Println("closure", x, step(5)) }()
	defer func(n int) { fmt.Println("argument", n, x) }(x)
	f := func() { fmt.Println("old function") }
	defer f()
	f = func() { fmt.Println("new function") }
	x = step(6)
	fmt.Println("body ends")
}

//cogen:async
func async(n int) { step(n); fmt.Println("async", n) }

//cogen:async
func loop(n int) (s []int) {
	for i := range n {
		defer func() { s = append(s, i*10) }()
		defer async(i)
		if step(i) == 1 {
			defer fmt.Println("one")
			continue
		}
	}
	return []int{step(n)}
}

//cogen:async
func methods() {
	c := counter{1}
	defer c.value("by value")
	defer c.pointer("by pointer")
	defer c.async("method")
	f := c.value
	c.n = step(2)
	defer f("bound")
	defer (*counter).pointer(&c, "expression")
	p := &c
	defer p.async("through pointer")
	p = &counter{50}
	var i interface{ pointer(string) } = p
	defer i.pointer("interface")
	step(3)
	p.n = 51
}

//cogen:async
func conditional(b bool) {
	if b {
		defer fmt.Println("conditional")
		defer step(7)
	}
	if step(8); !b {
		return
	}
	defer fmt.Println("last")
}

//cogen:async
func builtins() {
	m := map[int]int{1: 1, 2: 2}
	c := make(chan int)
	func() {
		drop(m, c)
	}()
	_, ok := <-c
	fmt.Println(m, ok)
	defer func() { fmt.Println("recovered", recover()) }()
	defer panic(fmt.Sprint("deferred panic ", step(1)))
}

//cogen:async
func drop(m map[int]int, c chan int) {
	defer delete(m, step(1))
	defer close(c)
	step(2)
	fmt.Println(len(m))
}

//cogen:async
func nested() {
	defer func() {
		defer fmt.Println("inner deferred", step(1))
		fmt.Println("outer deferred")
	}()
	defer inner()
	step(2)
}

//cogen:async
func inner() {
	defer step(3)
	defer fmt.Println("inner")
	step(4)
}

//cogen:async
func results() (x int, err error) {
	defer func() {
		if err != nil {
			x = -x
		}
	}()
	defer change(&x)
	return step(5), fmt.Errorf("fails")
}

//cogen:async
func change(p *int) { *p += step(100) }

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
