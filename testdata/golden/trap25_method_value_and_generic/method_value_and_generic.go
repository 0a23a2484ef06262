package trap25

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// Y stands for an await point; it prints its argument.
//
//cogen:async
func Y(n int) {
	fmt.Println("y", n)
	rt.Yield()
}

type T struct{ n int }

//cogen:async
func (t T) m(k int) { Y(t.n*10 + k) }

type B[E any] struct{ x []E }

func (b *B[E]) each(f func(E) bool) {
	for _, e := range b.x {
		if !f(e) {
			return
		}
	}
}
func Map[A, C any](s []A, f func(A) C) (r []C) {
	type pair struct {
		a A
		c C
	}
	for _, x := range s {
		p := pair{a: x}
		p.c = f(x)
		r = append(r, p.c)
	}
	return
}

//cogen:async
func work() {
	t := T{1}
	f := t.m
	t.n = 2
	f(1)
	T.m(t, 2)
	(*T).m(&t, 3)
	b := &B[string]{[]string{"a", "bb"}}
	b.each(func(s string) bool { Y(len(s)); return true })
	fmt.Println(Map([]int{1, 2}, func(x int) string { Y(x); return fmt.Sprint(x) }))
}

// Main is the program.
func Main() { work() }
