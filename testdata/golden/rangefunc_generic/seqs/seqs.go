// Package seqs has iterators for another package.
package seqs

import (
	"fmt"
	"iter"

	"github.com/cogen-go/cogen/rt"
)

// A List is a list.
type List[T any] struct {
	value T
	next  *List[T]
}

// Of returns a list of the values.
func Of[T any](values ...T) *List[T] {
	if len(values) == 0 {
		return nil
	}
	return &List[T]{values[0], Of(values[1:]...)}
}

// Each yields the values.
//
//cogen:async
func (l *List[T]) Each(yield func(T) bool) {
	for ; l != nil; l = l.next {
		Step(l.value)
		if !yield(l.value) {
			fmt.Println("Each stopped")
			return
		}
	}
}

// All returns an iterator over the values with their numbers.
//
//cogen:async
func (l *List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for v := range l.Each {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

// Filter returns an iterator over those values that pass a test.
//
//cogen:async
func Filter[T any](l *List[T], test func(T) bool) iter.Seq[T] {
	Step("filter")
	return func(yield func(T) bool) {
		for _, v := range l.All() {
			if test(v) && !yield(v) {
				break
			}
		}
	}
}

// Step stands for an await point: it prints, suspends once and returns its argument.
//
//cogen:async
func Step[T any](v T) T {
	fmt.Println("step", v)
	rt.Yield()
	return v
}
