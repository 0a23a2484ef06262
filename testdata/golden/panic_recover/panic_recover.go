// Package panicrecover panics through frames, recovered, repeated and replaced.
package panicrecover

import (
	"fmt"
	"runtime"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(caught(1))
	fmt.Println(caught(3))
	fmt.Println(replaced())
	fmt.Println(again())
	fmt.Println(twice())
	fmt.Println(runtimeError())
	fmt.Println(deferredPanics())
	fmt.Println(asyncDeferred())
	fmt.Println(nilPanic())
	fmt.Println(loop())
	fmt.Println(goesOn())
	fmt.Println(recover(), recover())
	fmt.Println(direct())
	fmt.Println(deepDirect())
	plain()
	fmt.Println("end")
}

//cogen:async
func deep(n int) int {
	defer fmt.Println("leaving", n)
	if n == 0 {
		step(0)
		panic(fmt.Sprint("bottom"))
	}
	return deep(n-1) + step(n)
}

//cogen:async
func caught(n int) (r string) {
	defer func() {
		if e := recover(); e != nil {
			r = fmt.Sprint("caught ", e)
		}
	}()
	deep(n)
	return "not here"
}

//cogen:async
func replaced() (r any) {
	defer func() { r = recover() }()
	defer func() { panic("second") }()
	step(1)
	panic("first")
}

//cogen:async
func again() (r any) {
	defer func() { r = recover() }()
	defer func() {
		e := recover()
		fmt.Println("once", e, step(2))
		panic(fmt.Sprint(e, " again"))
	}()
	step(1)
	panic("panic")
}

//cogen:async
func twice() (r []any) {
	defer func() { r = append(r, recover()) }()
	defer func() { r = append(r, recover()) }()
	step(1)
	panic("only once")
}

//cogen:async
func runtimeError() (r string) {
	defer func() {
		e, ok := recover().(runtime.Error)
		r = fmt.Sprint(ok, e)
	}()
	var s []int
	return fmt.Sprint(s[step(3)])
}

//cogen:async
func deferredPanics() (r any) {
	defer func() { r = recover() }()
	defer cleanup("a")
	defer cleanup("b")
	step(1)
	return "returned"
}

//cogen:async
func cleanup(s string) {
	step(len(s))
	panic("cleanup " + s)
}

//cogen:async
func asyncDeferred() (r any) {
	defer func() { r = fmt.Sprint(r, recover()) }()
	defer quiet(4)
	defer func() { quiet(5) }()
	r = "set"
	panic(step(6))
}

//cogen:async
func quiet(n int) {
	defer step(n)
	fmt.Println("nothing to recover", n, recover() == nil)
}

//cogen:async
func nilPanic() (r string) {
	defer func() { r = fmt.Sprintf("%T", recover()) }()
	step(1)
	panic(nil)
}

//cogen:async
func loop() (n int) {
	for i := range 4 {
		n += attempt(i)
	}
	return n
}

//cogen:async
func attempt(i int) (n int) {
	defer func() {
		if e := recover(); e != nil {
			n = 100
		}
	}()
	if step(i)%2 == 1 {
		panic(i)
	}
	return i
}

//cogen:async
func goesOn() (s string) {
	defer func() { s += " deferred" }()
	func() {
		defer func() { recover() }()
		boom()
	}()
	step(1)
	return "went on"
}

//cogen:async
func boom() { step(2); panic("boom") }

func handler() { fmt.Println("handler", recover()) }

//cogen:async
func direct() int {
	defer handler()
	step(1)
	panic("to the handler")
}

//cogen:async
func deepDirect() (r string) {
	defer func() {
		func() { fmt.Println("too deep", recover()) }()
		r = fmt.Sprint(recover())
	}()
	step(1)
	panic("deep")
}

// plain is not annotated; the panic passes through it.
func plain() {
	defer func() { fmt.Println("plain", recover()) }()
	between()
}

func between() { deep(1) }

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
