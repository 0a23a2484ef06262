// Package recursion recursive frames.
package recursion

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type tree struct {
	left, right *tree
	v           int
}

//cogen:async
func work() {
	fmt.Println(fib(6))
	fmt.Println(even(5), odd(5))
	t := insert(insert(insert(insert(nil, 5), 2), 8), 3)
	fmt.Println(t.walk(0))
	fmt.Println(t.depth(), (*tree)(nil).depth())
	fmt.Println(ackermann(1, 2))
	fmt.Println(sum(50))
	hanoi(2, "a", "b", "c")
	fmt.Println(permute([]int{1, 2, 3}, nil))
}

//cogen:async
func fib(n int) int {
	if n < 2 {
		return step(n)
	}
	return fib(n-1) + fib(n-2)
}

//cogen:async
func even(n int) bool { step(n); return n == 0 || odd(n-1) }

//cogen:async
func odd(n int) bool { return n != 0 && even(n-1) }

//cogen:async
func insert(t *tree, v int) *tree {
	if t == nil {
		return &tree{v: step(v)}
	}
	if v < t.v {
		t.left = insert(t.left, v)
	} else {
		t.right = insert(t.right, v)
	}
	return t
}

//cogen:async
func (t *tree) walk(depth int) (s string) {
	if t == nil {
		return "."
	}
	defer func() { s = "(" + s + ")" }()
	return t.left.walk(depth+1) + fmt.Sprint(step(t.v)) + t.right.walk(depth+1)
}

//cogen:async
func (t *tree) depth() int {
	if t == nil {
		return 0
	}
	return 1 + max(t.left.depth(), t.right.depth())
}

//cogen:async
func ackermann(m, n int) int {
	switch {
	case m == 0:
		return step(n + 1)
	case n == 0:
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

//cogen:async
func sum(n int) int {
	if n == 0 {
		return 0
	}
	rt.Yield()
	return n + sum(n-1)
}

//cogen:async
func hanoi(n int, from, to, via string) {
	if n == 0 {
		return
	}
	hanoi(n-1, from, via, to)
	step(n)
	fmt.Println(from, to)
	hanoi(n-1, via, to, from)
}

//cogen:async
func permute(s, prefix []int) (all [][]int) {
	if len(s) == 0 {
		rt.Yield()
		return [][]int{prefix}
	}
	for i, v := range s {
		rest := append(append([]int{}, s[:i]...), s[i+1:]...)
		all = append(all, permute(rest, append(append([]int{}, prefix...), v))...)
	}
	return all
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
