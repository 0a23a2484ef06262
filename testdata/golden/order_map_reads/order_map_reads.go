// Package ordermapreads elements of maps that change between their reads.
package ordermapreads

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	m := map[string]int{"a": 1}
	fmt.Println(m["a"]+store(m, "a", 50), m["a"])
	fmt.Println(m["none"]+store(m, "none", 2), len(m)+store(m, "more", 3))
	v, ok := m["late"], store(m, "late", 4) == 4
	fmt.Println(v, ok)
	fs := map[string]func(int) string{"k": func(n int) string { return fmt.Sprint("first", n) }}
	fmt.Println(fs["k"](replace(fs)))
	n := map[string]map[string]int{"x": m}
	fmt.Println(n["x"]["a"]+store(n["x"], "a", 60), n["x"]["a"])
	k := "a"
	fmt.Println(m[k]+rename(&k), k)
	b := m["a"] > store(m, "a", 70) || m["a"] == store(m, "b", 70)
	fmt.Println(b, m)
	inLiterals()
}

// inLiterals appends to entries in literals that are part of statements which the frame
// writes in another way.
//
//cogen:async
func inLiterals() {
	defer func() { fmt.Println(recover()) }()
	m := map[string][]string{}
	k := "outside"
	step(7)
	if len(m) == 0 {
		defer func() {
			m[k] = append(m[k], "deferred", "with "+turned(&k, "while panicking"))
			fmt.Println(m)
		}()
		done := make(chan bool)
		go store2(func() {
			m[k] = append(m[k], "started", "with "+turned(&k, "in a task"))
			close(done)
		})
		<-done
	}
	returned(m, &k)()
	panic("ends here")
}

//cogen:async
func returned(m map[string][]string, p *string) func() {
	k := *p
	step(8)
	if len(m) > 0 {
		return func() {
			m[k] = append(m[k], "returned", "with "+turned(&k, "after all"))
		}
	}
	return nil
}

//cogen:async
func store2(f func()) {
	step(9)
	f()
}

func turned(k *string, to string) string {
	*k = to
	return to
}

//cogen:async
func store(m map[string]int, k string, n int) int { m[k] = n; return step(n) }

//cogen:async
func replace(m map[string]func(int) string) int {
	m["k"] = func(n int) string { return fmt.Sprint("second", n) }
	return step(5)
}

//cogen:async
func rename(k *string) int { *k = "more"; return step(6) }

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
