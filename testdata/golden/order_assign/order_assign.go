// Package orderassign the order of evaluation of assignments around awaits.
package orderassign

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type node struct {
	n    int
	next *node
}

//cogen:async
func work() {
	a := []int{0, 0, 0}
	i := 0
	a[i] = set(&i, 2)
	fmt.Println(a, i)
	a[step(0)], a[step(1)] = step(10), step(11)
	fmt.Println(a)
	i = 0
	i, a[i] = step(1), 50
	fmt.Println(a, i)
	a[0], a[1] = a[1], a[0]+step(0)
	fmt.Println(a)
	a, a[2] = renew(), step(70)
	fmt.Println(a)
	m := map[string]int{}
	m[key("x")] = step(1)
	m[key("x")] += step(2)
	m[key("x")]++
	fmt.Println(m)
	m[key("y")], m["z"] = len(m), step(3)
	fmt.Println(m)
	p := &node{n: 1}
	p.n, p.next = step(2), &node{n: step(3)}
	p.next.n, p = step(4), p.next
	fmt.Println(p.n)
	p, p.n = &node{n: step(5)}, step(6)
	fmt.Println(p.n, p.next == nil)
	x, y := step(1), step(2)
	x, y = y, x
	x, y = y+step(3), x+step(4)
	fmt.Println(x, y)
	x += step(5)
	x -= add(&x, 100)
	fmt.Println(x)
	*pointer(&x) = step(6)
	*pointer(&x) += step(7)
	*pointer(&x)++
	fmt.Println(x)
	s := "a"
	s += fmt.Sprint(step(8))
	s += s + text(&s)
	fmt.Println(s)
	x <<= step(1)
	x &^= step(2)
	x %= step(7)
	fmt.Println(x)
	var e any
	var ok bool
	e, ok = m[key("x")]
	fmt.Println(e, ok)
	e, ok = value(3).(string)
	fmt.Println(e, ok)
	var t [2]struct{ v []int }
	t[step(1)].v = append(t[step(0)].v, step(9))
	fmt.Println(t)
	x, _ = step(1), step(2)
	_, _ = step(3), step(4)
	v, err := two()
	v, w := step(v), err
	fmt.Println(v, err, w)
	func() {
		defer func() { fmt.Println(recover()) }()
		fault(a)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		nilMap(nil)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		nilPointer(nil)
	}()
	fmt.Println(a)
}

//cogen:async
func set(p *int, n int) int { *p = n; return step(7) }

//cogen:async
func renew() []int { return []int{step(1), 2, 3} }

//cogen:async
func key(s string) string { step(len(s)); return s }

//cogen:async
func add(p *int, n int) int { *p += n; return step(1) }

//cogen:async
func pointer(p *int) *int { step(60); return p }

//cogen:async
func text(p *string) string { *p = "changed"; step(61); return "t" }

//cogen:async
func value(n int) any { return step(n) }

//cogen:async
func two() (int, error) { return step(62), nil }

//cogen:async
func fault(a []int) {
	a[step(0)], a[step(5)] = step(100), step(101)
}

//cogen:async
func nilMap(m map[int]int) {
	m[step(1)] = step(2)
}

//cogen:async
func nilPointer(p *node) {
	p.n = step(3)
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
