package trap19

import (
	"fmt"
	"sync"

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
func (t T) done(k int) { Y(1); fmt.Println("done", t.n, k) }

//cogen:async
func work() {
	func() {
		t := T{1}
		k := 5
		defer t.done(k)
		t.n = 2
		k = 6
		f := func() { fmt.Println("first") }
		defer f()
		f = func() { fmt.Println("second") }
		Y(0)
	}()
	func() {
		defer func() { fmt.Println("late nil:", recover() != nil) }()
		var z func(int)
		defer z(func() int { Y(6); return 1 }())
		Y(7)
	}()
	for i := 0; i < 3; i++ {
		defer func() { fmt.Println("d", i) }()
		Y(i)
	}
	var m sync.Mutex
	for range 2 {
		func() { m.Lock(); defer m.Unlock(); Y(9) }()
	}
}

// Main is the program.
func Main() { work() }
