// Package rangefuncpanics: deferred calls, panics and Goexit in loops over marked
// iterators, and iterators that do what they must not.
package rangefuncpanics

import (
	"fmt"
	"runtime"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(deferInBody())
	fmt.Println(resultsFirst())
	fmt.Println(unnamedResult())
	attempt("body panics", bodyPanics)
	attempt("plain iterator", plainIterator)
	attempt("recovering iterator", recovering)
	attempt("replacing iterator", replacing)
	attempt("iterator goes on", goesOn)
	attempt("iterator goes on, recovers", goesOnRecovers)
	attempt("iterator panics", iteratorPanics)
	attempt("iterator panics after break", panicsAfterBreak)
	attempt("nested", nestedPanics)
	attempt("nil method value", nilReceiver)
	fmt.Println(recovered())
	goexit()
}

// attempt runs f and prints what came of it.
func attempt(name string, f func()) {
	defer func() {
		v := recover()
		_, isError := v.(runtime.Error)
		fmt.Println(name+":", v, isError)
	}()
	f()
}

//cogen:async
func three(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

// guarded has deferred calls that see what passes through it.
//
//cogen:async
func guarded(yield func(int) bool) {
	defer func() {
		v := recover()
		fmt.Println("guarded sees", v)
		if v != nil {
			panic(v)
		}
	}()
	defer step(90)
	for i := range 3 {
		if !yield(step(i)) {
			fmt.Println("guarded stops")
			return
		}
	}
}

//cogen:async
func deferInBody() (s string) {
	defer func() { s += "." }()
	for v := range guarded {
		defer func() { s += fmt.Sprint(v, step(v)) }()
		defer step(50 + v)
		step(v)
	}
	fmt.Println("loop is over")
	return "r"
}

type holder struct{ result *int }

// watched looks at a result of the function that ranges over it when it ends.
//
//cogen:async
func (h *holder) watched(yield func(int) bool) {
	defer func() {
		step(*h.result)
		*h.result += 1000
	}()
	_ = yield(1) && yield(2) && yield(3)
}

//cogen:async
func resultsFirst() (n int) {
	h := &holder{&n}
	for v := range h.watched {
		if step(v) == 2 {
			return 20
		}
	}
	return 0
}

//cogen:async
func unnamedResult() (int, string) {
	for v := range guarded {
		for w := range three {
			if step(v+w) == 2 {
				return w, "found"
			}
		}
	}
	return 0, "none"
}

//cogen:async
func bodyPanics() {
	for v := range guarded {
		step(v)
		if v == 1 {
			panic(fmt.Sprint("body at ", v))
		}
	}
}

//cogen:async
func plainIterator() {
	for v := range three {
		step(v)
		if v == 1 {
			var m map[int]int
			m[v] = v
		}
	}
}

//cogen:async
func recoverer(yield func(int) bool) {
	defer func() { fmt.Println("recovered", recover()) }()
	for i := range 3 {
		yield(i)
	}
}

//cogen:async
func recovering() {
	defer fmt.Println("deferred by the loop's function")
	for v := range recoverer {
		step(v)
		if v == 1 {
			panic("lost")
		}
	}
	fmt.Println("not reached")
}

//cogen:async
func replacer(yield func(int) bool) {
	defer func() { panic(fmt.Sprint("instead of ", recover())) }()
	yield(1)
}

//cogen:async
func replacing() {
	for v := range replacer {
		step(v)
		panic("body")
	}
}

//cogen:async
func stubborn(yield func(int) bool) {
	for i := range 3 {
		fmt.Println("more:", yield(i))
	}
}

//cogen:async
func goesOn() {
	for v := range stubborn {
		if step(v) == 1 {
			break
		}
	}
	fmt.Println("not reached")
}

//cogen:async
func sly(yield func(int) bool) {
	defer func() { fmt.Println("sly recovers", recover()) }()
	for i := range 3 {
		fmt.Println("more:", yield(i))
	}
}

//cogen:async
func goesOnRecovers() {
	for v := range sly {
		if step(v) == 1 {
			break
		}
	}
	fmt.Println("not reached")
}

//cogen:async
func bursting(yield func(int) bool) {
	step(1)
	if !yield(1) {
		panic("stopped")
	}
	panic("burst")
}

//cogen:async
func iteratorPanics() {
	for v := range bursting {
		step(v)
	}
}

//cogen:async
func panicsAfterBreak() {
	for v := range bursting {
		step(v)
		break
	}
}

//cogen:async
func nestedPanics() {
	for v := range guarded {
		for w := range guarded {
			if step(v*10+w) == 11 {
				panic("inner")
			}
		}
	}
}

type box struct{ n int }

//cogen:async
func (b box) each(yield func(int) bool) { yield(b.n) }

//cogen:async
func nilReceiver() {
	var b *box
	fmt.Println("before")
	for v := range b.each {
		step(v)
	}
}

//cogen:async
func recovered() (s string) {
	defer func() { s = fmt.Sprint(s, " and ", recover()) }()
	for v := range guarded {
		s += fmt.Sprint(v)
		if step(v) == 1 {
			panic("oh")
		}
	}
	return "not reached"
}

//cogen:async
func goexit() {
	defer fmt.Println("function unwinds")
	for v := range guarded {
		defer fmt.Println("deferred in iteration", v)
		if step(v) == 1 {
			runtime.Goexit()
		}
	}
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
