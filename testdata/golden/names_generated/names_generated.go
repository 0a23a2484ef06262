// Package namesgenerated gives variables, labels and parameters the names that generated
// code would choose, or needs, in the same place.
package namesgenerated

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type node struct{ n int }

//cogen:async
func (n *node) add(m int) int { n.n += step(m); return n.n }

type tree struct{ node }

//cogen:async
func work() {
	snippets(1)
	labels(2)
	deferred(3)
	new, err := parameters(new(4), false, &node{5})
	fmt.Println(*new, err)
	types(&tree{node{6}})
	fmt.Println(numbered(7))
	imports(8)
}

// labels has labels like those behind awaits.
//
//cogen:async
func labels(n int) {
	step(n)
	for i := range n {
	await1:
		for j := range n {
			if j == i {
				continue await1
			}
			fmt.Println(i, j)
			break await1
		}
	}
await2:
	step(n)
	if n--; n > 0 {
		goto await2
	}
}

// deferred passes a variable called future to deferred calls.
//
//cogen:async
func deferred(future int) {
	raise, arg, recv := future+1, future+2, &node{future}
	defer recv.add(arg)
	defer step(raise)
	defer func(future int) { fmt.Println(future, raise, step(arg)) }(future)
	step(future)
}

// parameters has names of the language for its parameters and results.
//
//cogen:async
func parameters(nil *int, true bool, node *node) (new *int, string error) {
	defer func() { step(*nil); new = nil }()
	step(node.n)
	if true {
		return nil, fmt.Errorf("true")
	}
	return
}

// types hides the type of a promoted receiver.
//
//cogen:async
func types(t *tree) {
	node := 1
	fmt.Println(t.add(func() int { node++; return step(node) }()), node)
}

// numbered has a literal whose variables are called what those of the function would
// be renamed to.
//
//cogen:async
func numbered(n int) int {
	sum := 0
	func() {
		for i := range 2 {
			n := n + i
			f := func() int {
				n2, n3 := 100, 1000
				n++
				return n + n2 + n3
			}
			sum += step(f()) + n
		}
	}()
	return sum
}

// imports hides a package in a switch that has a deferred call.
//
//cogen:async
func imports(x any) {
	switch rt := x.(type) {
	case int:
		defer step(rt)
	}
	step(9)
}

// step stands for an await point: it prints, suspends once and returns n.
//
//cogen:async
func step(n int) int {
	fmt.Println("step", n)
	rt.Yield()
	return n
}

// snippets has variables with the names of what generated statements declare around the
// user's syntax.
//
//cogen:async
func snippets(n int) {
	rt.Yield()
	if raise, fn, arg, future := n, n+1, n+2, n+3; n > 0 {
		defer func() { fmt.Println("deferred", raise, fn, arg, future) }()
		defer fmt.Println(fmt.Sprint(raise, fn, arg, future))
		go func() { _ = fmt.Sprint(raise, fn, arg, future) }()
	}
}

// Main is the program.
func Main() { work() }
