// Package ordercopies has operands that the compiler copies early because it needs their
// address, next to others that it reads late.
package ordercopies

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type point struct {
	x    int
	next *point
}

func (p *point) area() int { return p.x }

type shape interface{ area() int }

type pair struct{ a, b int16 }

type wide struct{ a, b int32 }

//cogen:async
func work() {
	interfaces()
	comparisons()
	keys()
}

// interfaces converts to interfaces.
//
//cogen:async
func interfaces() {
	n := 1
	p := &point{7, nil}
	fmt.Println(value(&point{n, nil}), set(&n, 2))
	fmt.Println([]shape{&point{n, nil}, set(&p, &point{x: n})}[0].area(), p.x)
	s, q := results(&n)
	fmt.Println(s.area(), q, n)
	fmt.Println(any((*point)(p)).(*point).x, set(&p, &point{8, nil}).x, p.x)
	fmt.Println(area(p), area(set(&p, &point{9, nil})))
	b := true
	fmt.Println(b && n > 0, set(&b, false), !b, b)
	small := int8(1)
	fmt.Println(-small, set(&small, 5), small+1, small)
	f := 1.5
	fmt.Println(f*2, set(&f, 2.5), f)
	m := map[string]int{"a": 1}
	fmt.Println(len(copied(m)), m, set(&m, nil), m)
}

//cogen:async
func results(n *int) (shape, int) { return &point{*n, nil}, set(n, 3) }

func area(p *point) string { return fmt.Sprint(p.area()) }

func value(s shape) int { return s.area() }

func copied(m map[string]int) map[string]int { return m }

// comparisons compares interfaces with other values.
//
//cogen:async
func comparisons() {
	n, small := 1, int8(1)
	var e any = 2
	fmt.Println(e == n+1, e == n+set(&n, 1), e == any(n))
	fmt.Println(any(small+1) == set(&e, any(int8(9))), small+1 == setAny(&e, &small), e == any(small))
	p := &point{1, nil}
	var s shape = p
	fmt.Println(s == (*point)(p), s == set(&p, nil), s == p)
	fmt.Println(point{n, nil} == point{set(&n, 4), nil}, any(point{n, p}) == set(&e, any(point{n, p})))
	b := n > 2
	e = true
	fmt.Println((n > 2) == setBool(&e, &n), !b == setBool(&e, &n), e == (n > 2))
}

//cogen:async
func setAny(e *any, small *int8) any { *small = 7; step(1); return *e }

//cogen:async
func setBool(e *any, n *int) any { *n = -*n; step(2); return *e }

// keys indexes maps.
//
//cogen:async
func keys() {
	n, small, f := 1, int8(1), 1.5
	ints := map[int]string{1: "one", 2: "two"}
	fmt.Println(ints[n], set(&n, 2), ints[n])
	fmt.Println(ints[n]+fmt.Sprint(set(&n, 1)), ints[n-1]+fmt.Sprint(set(&n, 3)))
	anys := map[any]string{1: "one", 2: "two", 3: "three", int8(1): "small", 1.5: "float"}
	fmt.Println(anys[n]+fmt.Sprint(set(&n, 2)), anys[n]+fmt.Sprint(set(&n, 1)))
	fmt.Println(anys[small]+fmt.Sprint(set(&small, 2)), anys[f]+fmt.Sprint(set(&f, 2.5)))
	floats := map[float64]string{2.5: "a", 3.5: "b", 5: "c"}
	fmt.Println(floats[f]+fmt.Sprint(set(&f, 3.5)), floats[f*1]+fmt.Sprint(set(&f, 2.5)))
	smalls := map[int8]string{1: "one", 2: "two", 3: "three"}
	fmt.Println(smalls[small]+fmt.Sprint(set(&small, 1)), smalls[small+1]+fmt.Sprint(set(&small, 2)))
	pairs := map[pair]string{{1, 2}: "12", {3, 4}: "34"}
	p := pair{1, 2}
	fmt.Println(pairs[p]+fmt.Sprint(set(&p, pair{3, 4})), pairs[pair{p.a, p.b}]+fmt.Sprint(set(&p, pair{1, 2})))
	wides := map[wide]string{{1, 2}: "12", {3, 4}: "34"}
	w := wide{1, 2}
	fmt.Println(wides[w]+fmt.Sprint(set(&w, wide{3, 4})), wides[wide{w.a, w.b}]+fmt.Sprint(set(&w, wide{1, 2})))
	arrays := map[[2]int]string{{1, 2}: "12", {3, 4}: "34"}
	a := [2]int{1, 2}
	fmt.Println(arrays[a]+fmt.Sprint(set(&a, [2]int{3, 4})), arrays[[2]int{a[0], 4}]+fmt.Sprint(set(&a, [2]int{1, 2})))
	texts := map[string]string{"x": "ex", "y": "why"}
	bs := []byte("x")
	fmt.Println(texts[string(bs)]+setByte(bs, 'y'), texts[string(bs)+""]+setByte(bs, 'x'))
	big := map[int][40]int{1: {1}, 2: {2}}
	fmt.Println(big[n][0]+set(&n, 2), big[n*1][0]+set(&n, 1))
	anys[n], ints[n] = fmt.Sprint("set ", set(&n, 2)), "later"
	wides[w], pairs[p] = fmt.Sprint("set ", set(&w, wide{5, 6})), "later"
	anys[small+1], pairs[pair{p.a, p.b}] = fmt.Sprint("set ", set(&small, 9)), fmt.Sprint(set(&p, pair{7, 8}))
	fmt.Println(anys, ints, wides, pairs)
	delete(anys, set(&n, 1))
	fmt.Println(map[any]int{n: set(&n, 2), n + 1: set(&n, 7)}, map[pair]int{p: len(fmt.Sprint(set(&p, pair{0, 0})))}, len(anys))
}

//cogen:async
func setByte(b []byte, c byte) string { old := b[0]; b[0] = c; step(3); return string(old) }

// set assigns v to *p and returns what was there.
//
//cogen:async
func set[T any](p *T, v T) T {
	old := *p
	*p = v
	step(4)
	return old
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
