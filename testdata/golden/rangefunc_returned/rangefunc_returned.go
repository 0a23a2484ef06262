// Package rangefuncreturned: marked functions that return iterators.
package rangefuncreturned

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(count(4))
	for _, kind := range []int{0, 1, 2, 3} {
		for v := range numbers(kind, 5) {
			if step(v) == 3 {
				break
			}
		}
	}
	for k, v := range pairs("a", "b", "c") {
		if step(k) == 1 {
			continue
		}
		fmt.Println(k, v)
	}
	for range times(2) {
		step(7)
	}
	for v := range unmarked(2) {
		step(v)
	}
	seq := numbers(0, 2)
	for range 2 {
		for v := range seq {
			step(v)
		}
	}
	fmt.Println(fails())
	fmt.Println(none())
	fmt.Println(collected())
}

//cogen:async
func count(n int) (sum int) {
	for v := range numbers(0, n) {
		for w := range numbers(1, v) {
			sum += step(v * w)
		}
	}
	return sum
}

// numbers returns iterators in several ways.
//
//cogen:async
func numbers(kind, n int) iter.Seq[int] {
	fmt.Println("numbers", kind, step(n))
	switch kind {
	case 0:
		return func(yield func(int) bool) {
			for i := range n {
				if !yield(step(i)) {
					return
				}
			}
		}
	case 1:
		return backward(n)
	case 2:
		return unmarked(n)
	}
	n *= 2
	return iter.Seq[int](func(yield func(int) bool) {
		defer fmt.Println("end of numbers", n)
		for ; n > 0; n -= 3 {
			if !yield(n) {
				break
			}
		}
	})
}

//cogen:async
func backward(n int) iter.Seq[int] {
	defer step(60)
	return func(yield func(int) bool) {
		for n > 0 {
			n--
			step(200 + n)
			if !yield(n) {
				break
			}
		}
	}
}

func unmarked(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i * i) {
				return
			}
		}
	}
}

//cogen:async
func pairs[T any](list ...T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, v := range list {
			step(i)
			if !yield(i, v) {
				return
			}
		}
	}
}

//cogen:async
func times(n int) func(yield func() bool) {
	return func(yield func() bool) {
		for range n {
			if !yield() {
				return
			}
		}
	}
}

// perhaps returns no iterator if it recovers.
//
//cogen:async
func perhaps(fail bool) iter.Seq[int] {
	defer func() { fmt.Println("perhaps recovers", recover()) }()
	if fail {
		panic(step(1))
	}
	return func(yield func(int) bool) {
		_ = yield(step(1)) && yield(step(2))
	}
}

//cogen:async
func fails() (err any) {
	defer func() { err = recover() }()
	for v := range perhaps(false) {
		step(v)
	}
	for v := range perhaps(true) {
		step(v)
	}
	return "not reached"
}

//cogen:async
func nothing() iter.Seq[int] {
	if step(0) == 0 {
		return nil
	}
	return func(func(int) bool) {}
}

//cogen:async
func none() (err any) {
	defer func() { err = recover() }()
	for v := range nothing() {
		step(v)
	}
	return "not reached"
}

//cogen:async
func collected() []int {
	return slices.Sorted(numbers(1, 3))
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
