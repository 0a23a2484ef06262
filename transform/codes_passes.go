package transform

// Codes of the passes are warnings: what a frame cannot express keeps its plain
// form, which is correct everywhere and only costs more.

var codeUnnameable = newCode(code{
	severity: Warning,
	name:     "C2001",
	doc: `A variable that has to live in a frame has a type that this package cannot write
down: another package does not export it, or may not be imported here. The function keeps its
plain form. Give the variable a type that can be named, such as an interface.`,
	example: `package p

import (
	"encoding/binary"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func f(b []byte) uint16 {
	order := binary.LittleEndian
	rt.Yield()
	return order.Uint16(b)
}
`,
})

var codeUnsupported = newCode(code{
	severity: Warning,
	name:     "C2002",
	doc: `An await point stands where a frame cannot suspend. The function keeps its plain
form. Move the await into a statement of its own.`,
	example: `package p

import "github.com/cogen-go/cogen/rt"

func pair() (int, int) { return 1, 2 }

//cogen:async
func f(done func(int, int)) {
	defer done(pair())
	rt.Yield()
}
`,
})

var codeLocalType = newCode(code{
	severity: Warning,
	name:     "C2003",
	doc: `A type declared in a marked function has the name of something else that the
function uses, and both would have to be visible at the top of Poll. The function keeps its
plain form. Rename the type.`,
	example: `package p

import "github.com/cogen-go/cogen/rt"

type pair struct{ a int }

//cogen:async
func f() int {
	x := pair{1}
	if x.a > 0 {
		type pair struct{ a, b int }
		y := pair{2, 3}
		rt.Yield()
		return y.b
	}
	return x.a
}
`,
})

var codeKeptYield = newCode(code{
	severity: Warning,
	name:     "C2004",
	doc: `A loop ranges over a marked iterator whose frame cannot run the loop's body, because
the iterator does more with its yield function than call it and pass it to marked functions: a
function literal captures it, or it is deferred, stored, or passed to something else. The loop
stays plain: what waits in it sets the task's stack aside. Call the yield function in the
iterator itself.`,
	example: `package p

import "github.com/cogen-go/cogen/rt"

//cogen:async
func each(yield func(int) bool) {
	visit := func(n int) bool { return yield(n) }
	_ = visit(1) && visit(2)
}

//cogen:async
func f() {
	for range each {
		rt.Yield()
	}
}
`,
})
