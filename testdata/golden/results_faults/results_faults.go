// Package resultsfaults has statements that assign to several results, and panic in the
// middle. Deferred calls that recover must find, and return, the results of before.
package resultsfaults

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(unnamed(0))
	fmt.Println(unnamed(2))
	s, f := asserted("text")
	fmt.Println(s, f == nil)
	s, f = asserted(func() int { return 3 })
	fmt.Println(s, f())
	fmt.Println(named(0))
	fmt.Println(nested(0, -1))
	fmt.Println(nested(1, -1))
	fmt.Println(nested(1, 2))
	fmt.Println(inHeaders(0))
	fmt.Println(byHand(0))
	fmt.Println(byHand(-1))
	fmt.Println(generic(7, 0))
	fmt.Println(generic(7.5, 0))
}

//cogen:async
func value[T any](v T) T {
	rt.Yield()
	return v
}

//cogen:async
func unnamed(n int) (int, string, int) {
	defer func() { fmt.Println("recovered", recover()) }()
	return value(7), value("a"), 8 / value(n)
}

//cogen:async
func asserted(v any) (string, func() int) {
	defer func() { fmt.Println("recovered", recover()) }()
	rt.Yield()
	s, f := "unused", v
	return s + "!", f.(func() int)
}

//cogen:async
func named(n int) (ok bool, quotient int) {
	defer rt.Yield()
	defer func() { fmt.Println("recovered", recover()) }()
	ok, quotient = false, 1
	d := value(n)
	ok, quotient = true, 5/d
	return
}

// nested has the assignments in a statement without an await.
//
//cogen:async
func nested(n, shift int) (r, s int, ok bool) {
	var list [2]int
	defer func() { fmt.Println("recovered", recover(), list) }()
	rt.Yield()
	one := 1
	for i := range 2 {
		if n == 0 {
			r, s = i+1, one%n
			continue
		}
		r, list[i], s = s+1, n, one<<shift
	}
	if shift > 1 {
		return s, r, true
	}
	return
}

//cogen:async
func inHeaders(n int) (r, s int) {
	defer func() { fmt.Println("recovered", recover()) }()
	rt.Yield()
	if r = 1; n > 0 {
		return 0, r
	}
	switch r, s = 2, 9/n; {
	case s > 0:
		r = 3
	}
	return
}

// A future written by hand has no variables for its results.
type handFuture struct {
	n      int
	waited bool
}

func (f *handFuture) Poll(cx *rt.Context) bool {
	if !f.waited {
		f.waited = true
		cx.Wake()
		return false
	}
	return true
}

func (f *handFuture) Result() int { return f.n }

func handAsync(n int) *handFuture { return &handFuture{n: n} }

func hand(n int) int { return rt.Await(handAsync(n)).Result() }

//cogen:async
func byHand(n int) (r, s int) {
	defer func() { fmt.Println("recovered", recover()) }()
	if n < 0 {
		r, _, s = 1, hand(5), 1<<hand(n)
	}
	return r + 2, 8 % hand(n)
}

//cogen:async
func generic[T int | float64](x, y T) (T, T) {
	defer func() { fmt.Println("recovered", recover()) }()
	rt.Yield()
	return x, x / y
}

// Main is the program.
func Main() { work() }
