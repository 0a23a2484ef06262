// Package rangefuncgeneric: loops over the iterators of generic types and of another
// package, in generic functions.
package rangefuncgeneric

import (
	"fmt"

	"github.com/cogen-go/cogen/testdata/golden/rangefunc_generic/seqs"
)

//cogen:async
func work() {
	fmt.Println(join(seqs.Of("a", "b", "c")))
	fmt.Println(total(seqs.Of(1, 2, 3, 4)))
	fmt.Println(both(seqs.Of(1.5, 2.5), "x"))
	fmt.Println(embedded(outer{seqs.Of(3, 4)}))
}

//cogen:async
func join(l *seqs.List[string]) (s string) {
	for v := range l.Each {
		s += seqs.Step(v)
	}
	for i, v := range l.All() {
		if i == 2 {
			return s
		}
		s += seqs.Step(fmt.Sprint(i, v))
	}
	return "not reached"
}

type number interface{ ~int | ~float64 }

//cogen:async
func total[N number](l *seqs.List[N]) (sum N) {
	var seen []N
	for v := range seqs.Filter(l, func(v N) bool { return v > 1 }) {
		seen = append(seen, v)
		sum += seqs.Step(v)
	}
	fmt.Println(seen)
	return sum
}

//cogen:async
func both[A, B any](l *seqs.List[A], b B) (s string) {
	type pair struct {
		a A
		b B
	}
	for v := range l.Each {
		p := pair{v, b}
		for w := range two[A] {
			seqs.Step(w)
			s += fmt.Sprint(p, w)
		}
	}
	return s
}

//cogen:async
func two[T any](yield func(T) bool) {
	var zero T
	_ = yield(zero) && yield(seqs.Step(zero))
}

type outer struct{ *seqs.List[int] }

//cogen:async
func embedded(o outer) (n int) {
	for v := range o.Each {
		n = n*10 + seqs.Step(v)
	}
	for i, v := range o.All() {
		n = n*10 + i + seqs.Step(v)
	}
	return n
}

// Main is the program.
func Main() { work() }
