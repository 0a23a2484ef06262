// Package literals_held awaits function literals through the variables that hold them.
package literals_held

import (
	"errors"
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func step(s string) string {
	rt.Yield()
	fmt.Print(s, " ")
	return s
}

//cogen:async
func simple() (total int) {
	say := func(s string) int {
		total++
		return len(step(s))
	}
	n := say("one") + say("three")
	var more = func(list ...string) (n int, err error) {
		for _, s := range list {
			n += say(s) // say belongs to the outer function: a plain call
		}
		if n > 5 {
			err = errors.New("long")
		}
		return
	}
	m, err := more("a", "b")
	fmt.Println(n, m, err, total)
	fmt.Println(more([]string{"more", "words"}...))
	fmt.Println(func() int { return say("inner") }(), total)
	return total * 10
}

//cogen:async
func loops() {
	var held []func()
	for i := 0; i < 3; i++ {
		show := func() {
			i += 10
			step(fmt.Sprint("i", i))
			i -= 10
		}
		held = append(held, show)
		show()
		for _, s := range []string{"x", "y"} {
			both := func(t string) string { return step(s + t + fmt.Sprint(i)) }
			if both("1") != both("1") {
				panic("no")
			}
			i := i * 100
			if i > 100 {
				break
			}
		}
	}
	for _, f := range held {
		f()
	}
	fmt.Println()
	n := 0
again:
	first := n
	tell := func() { step(fmt.Sprint("n", n, first)) }
	tell()
	if n++; n < 3 {
		goto again
	}
	tell()
	fmt.Println()
}

//cogen:async
func endings() (s string, err error) {
	rescue := func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rescued %v", step(fmt.Sprint(r)))
		}
	}
	note := func(s string) { step("note " + s) }
	defer rescue()
	defer note("deferred")
	rescue() // recover is nil here
	done := make(chan string)
	send := func(s string) {
		defer close(done)
		done <- step(s)
	}
	go send("sent")
	fmt.Println(<-done)
	careful := func(n int) (out int) {
		defer func() {
			if r := recover(); r != nil {
				out = -len(step("caught"))
			}
		}()
		step("risky")
		return 6 / n
	}
	fmt.Println(careful(2), careful(0))
	s = "before the panic"
	panic("oops")
}

//cogen:async
func others() {
	var fib func(int) int
	fib = func(n int) int { // assigned, and calls itself: plain calls
		if n < 2 {
			return n
		}
		step(fmt.Sprint("fib", n))
		return fib(n-1) + fib(n-2)
	}
	fmt.Println(fib(3))

	say := func() { step("first") }
	say()
	say = func() { step("second") }
	say()
	point := func() { step("pointed at") }
	p := &point
	point()
	*p = func() { step("changed") }
	point()
	type action func(string) string
	var act action = func(s string) string { return step("act " + s) }
	fmt.Println(act("typed"))
	if ok := func() bool { return step("cond") != "" }; ok() && ok() {
		fmt.Println("ok")
	}
	{
		say := func() { step("shadow") }
		say()
	}
	a, b := func() { step("a") }, func() { step("b") }
	a()
	b()
	fmt.Println()
}

//cogen:async
func generic[T any](list []T, format func(T) string) (out []string) {
	add := func(v T) { out = append(out, step(format(v))) }
	for _, v := range list {
		add(v)
	}
	each := func(f func(T)) {
		for _, v := range list {
			f(v)
		}
	}
	each(add)
	return out
}

//cogen:async
func (c *counter) count() int {
	inc := func(by int) int {
		c.n += by
		step("inc")
		return c.n
	}
	nested := func() int {
		twice := func(by int) int { return inc(by) + inc(by) }
		return twice(2) + len(step("nested"))
	}
	return inc(1) + nested()
}

type counter struct{ n int }

//cogen:async
func work() {
	fmt.Println(simple())
	loops()
	fmt.Println(endings())
	others()
	fmt.Println(generic([]int{1, 2}, func(n int) string { return fmt.Sprint("g", n) }))
	fmt.Println((&counter{}).count())
}

func Main() { work() }
