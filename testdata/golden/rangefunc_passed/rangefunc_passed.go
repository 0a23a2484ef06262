// Package rangefuncpassed: yield functions that iterators pass on, iterators that
// range over others, and iterators that keep their yield function.
package rangefuncpassed

import (
	"fmt"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

type tree struct {
	left, right *tree
	value       int
}

func grow(from, to int) *tree {
	if from >= to {
		return nil
	}
	mid := (from + to) / 2
	return &tree{grow(from, mid), grow(mid+1, to), mid}
}

//cogen:async
func work() {
	t := grow(0, 6)
	for v := range t.each {
		if step(v) == 4 {
			break
		}
	}
	for d, v := range t.depths {
		step(d*10 + v)
	}
	fmt.Println(recursive(t))
	for v := range t.odd {
		step(v)
	}
	for v := range t.plainly {
		if step(v) == 3 {
			break
		}
	}
	for v := range t.kept {
		if step(v) == 3 {
			break
		}
	}
	t.each(func(v int) bool {
		fmt.Println("called with", v)
		return v < 2
	})
	fmt.Println(t.push(func(v int) bool { return step(v) < 1 }))
}

//cogen:async
func (t *tree) each(yield func(int) bool) { t.push(yield) }

//cogen:async
func (t *tree) push(yield func(int) bool) bool {
	if t == nil {
		return true
	}
	step(1000 + t.value)
	return t.left.push(yield) && yield(t.value) && t.right.push(yield)
}

//cogen:async
func (t *tree) depths(yield func(depth, value int) bool) {
	defer fmt.Println("depths is over")
	t.walk(0, yield)
}

// walk has a deferred call, so its frame is awaited in another way.
//
//cogen:async
func (t *tree) walk(depth int, yield func(depth, value int) bool) (ok bool) {
	defer func() { ok = ok && depth >= 0 }()
	if t == nil {
		return true
	}
	if !t.left.walk(depth+1, yield) || !yield(depth, t.value) {
		return false
	}
	return t.right.walk(depth+1, yield)
}

// inOrder is an iterator that ranges over itself.
//
//cogen:async
func (t *tree) inOrder(yield func(int) bool) {
	if t == nil {
		return
	}
	for v := range t.left.inOrder {
		if !yield(v) {
			return
		}
	}
	if !yield(t.value) {
		return
	}
	for v := range t.right.inOrder {
		if !yield(v) {
			return
		}
	}
}

//cogen:async
func recursive(t *tree) (n int) {
	for v := range t.inOrder {
		if v == 5 {
			return n
		}
		n = n*10 + step(v)
	}
	return -1
}

//cogen:async
func (t *tree) odd(yield func(int) bool) {
	for v := range t.each {
		if v%2 == 1 && !yield(v*v) {
			return
		}
	}
}

// plainly ranges over a function that is not marked, so that what it yields there is
// yielded by plain code.
//
//cogen:async
func (t *tree) plainly(yield func(int) bool) {
	var all []int
	for v := range t.each {
		all = append(all, v)
	}
	for i, v := range slices.All(all) {
		if !yield(v) {
			fmt.Println("stopped at", i)
			return
		}
	}
	yield(-1)
}

// kept is no iterator whose frame could run a loop's body: a literal captures the
// yield function.
//
//cogen:async
func (t *tree) kept(yield func(int) bool) {
	step(77)
	visit := func(v int) bool { return yield(v) }
	_ = visit(1) && visit(3) && visit(5)
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
