package trap16

import (
	"fmt"
	"runtime"

	cogen "github.com/cogen-go/cogen/rt"
)

// Y stands for an await point; it prints its argument.
//
//cogen:async
func Y(n int) {
	fmt.Println("y", n)
	cogen.Yield()
}

func help() any { return recover() }

//cogen:async
func g() (r int) {
	defer func() {
		if help() != nil {
			r = 1
		}
		func() {
			if recover() != nil {
				r = 2
			}
		}()
		if e := recover(); e != nil {
			r += 42
		}
	}()
	Y(1)
	panic("x")
}

//cogen:async
func rt() (ok bool) {
	defer func() { _, ok = recover().(runtime.Error) }()
	var p *int
	Y(2)
	return *p == 0
}

//cogen:async
func named() (r any) { defer helper2(&r); Y(3); panic("direct") }
func helper2(p *any) { *p = recover() }

//cogen:async
func pn() (s string) { defer func() { s = fmt.Sprintf("%T", recover()) }(); Y(4); panic(nil) }

//cogen:async
func work() { fmt.Println(g(), rt(), named(), pn()) }

// Main is the program.
func Main() { work() }
