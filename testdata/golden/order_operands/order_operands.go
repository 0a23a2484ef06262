// Package orderoperands has operands that gc evaluates earlier, or later, than most: bounds of slices,
// entries that are appended to, keys made of bytes, assertions to type parameters, and others.
package orderoperands

import (
	"fmt"
	"unsafe"

	"github.com/cogen-go/cogen/rt"
)

func Main() { work() }

//cogen:async
func work() {
	slices()
	mapAppends()
	byteKeys()
	assertions("x", "y")
	assertions(1, 2)
	assertions(point{1, 2}, point{3, 4})
	plain()
	unsafes()
	statics()
	selects()
	zeroSized()
}

type point struct{ x, y int }

//cogen:async
func slices() {
	s := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	i, j := 1, 5
	p := &point{2, 6}
	a := [3]int{1, 2, 3}
	fmt.Println("slices", s[i:set(&i, 3)+4], i)
	fmt.Println(s[i+1:set(&i, 1)+6], i)
	fmt.Println(s[p.x:set(&p.x, 3)+4], p.x)
	fmt.Println(s[p.x:set(&p, &point{1, 5}).y], p.x)
	fmt.Println(s[a[1]:set(&a[1], 0)+4], a)
	fmt.Println(s[-(-i):set(&i, 3)+4:set(&j, 9)+4], i, j)
	fmt.Println(s[i:j:set(&j, 7)], i, j)
	fmt.Println(s[i:j-1:set(&j, 9)], i, j)
	fmt.Println(s[len(s)-9:set(&s, []int{1, 2, 3, 4, 5, 6, 7})[3]], s)
	fmt.Println(s[int(uint8(i)) : set(&i, 0)+4])
	str := "hello world"
	fmt.Println(str[i+1:set(&i, 2)+5], i)
	q := &str
	fmt.Println((*q)[i+1:set(&i, 2)+5], (*q)[len(str)-11:set(q, "abcdefghijklmno")[0]&7+1])
	m := map[string]int{"a": 1}
	fmt.Println(s[m["a"]:set(&m, map[string]int{"a": 3})["a"]+3], s[m["a"]:setMap(m, "a", 2)])
	fmt.Println(s[i:][:set(&i, 1)+2], s[func() int { return i }():set(&i, 4)+2])
}

//cogen:async
func setMap(m map[string]int, k string, v int) int { step(2); m[k] = v; return 6 }

type holder struct {
	m map[int][]int
	k int
	a map[point][]any
	e map[any][]int
}

//cogen:async
func mapAppends() {
	h := &holder{m: map[int][]int{1: {1}, 2: {2}}, k: 1, a: map[point][]any{}, e: map[any][]int{}}
	h.m[h.k] = append(h.m[h.k], set(&h.k, 2))
	fmt.Println("append", h.m, h.k)
	h.m[h.k+1] = append(h.m[h.k+1], set(&h.k, 7))
	fmt.Println(h.m, h.k)
	old := h.m
	h.m[3] = append(h.m[3], len(set(&h.m, map[int][]int{3: {33}})))
	fmt.Println(old, h.m)
	m, k := old, 1
	m[k] = append(m[k], set(&k, 2))
	fmt.Println(m, k)
	m[k] = append(m[k], len(set(&m, map[int][]int{})))
	fmt.Println(m, old)
	m = old
	x := point{1, 1}
	h.a[x] = append(h.a[x], set(&x, point{2, 2}))
	h.a[point{x.x, 0}] = append(h.a[point{x.x, 0}], set(&x, point{3, 3}))
	fmt.Println(h.a)
	h.e[k] = append(h.e[k], set(&k, 5))
	fmt.Println(h.e)
	h.e["a"] = append(h.e["a"], k, set(&k, 6), k+1)
	fmt.Println(h.e)
	var pm = &m
	(*pm)[k] = append((*pm)[k], set(&k, 9), len(*set(&pm, &map[int][]int{6: {6}})))
	fmt.Println(m, *pm)
	keys := []int{1, 2}
	m[keys[0]] = append(m[keys[0]], set(&keys[0], 2), len(set(&keys, []int{5, 6})))
	fmt.Println(m)
	ms := []map[int][]int{{}, {}}
	at := 0
	ms[at][1] = append(ms[at][1], set(&at, 1))
	fmt.Println(ms)
	ms[0][at] = append(ms[1][at], set(&at, 0))
	fmt.Println(ms)
	var none map[int][]int
	func() {
		defer func() { fmt.Println(recover()) }()
		none[1] = append(none[1], step(1))
	}()
}

// plain has the statements without an await point, but with variables in memory.
//
//cogen:async
func plain() {
	step(0)
	s := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	i, j := 1, 5
	a := [5]int{1, 2, 3, 4, 5}
	fmt.Println("plain", s[i:put(&i, 3)+4], a[i:put(&i, 1)+2], s[i:j-1:put(&j, 9)], s[i+1:put(&i, 0)+5])
	fmt.Println(func() []int { return s[i : put(&i, 2)+4] }(), "string"[i:put(&i, 1)+2])
	m, k, n := map[string][]int{"a": {1}, "b": {2}}, "a", 1
	m[k] = append(m[k], len(put(&k, "b")))
	fmt.Println(m, k)
	func() {
		m[k] = append(m[k], len(put(&k, "a")), put(&n, 2))
	}()
	old := m
	m[k] = append(m[k], len(put(&m, map[string][]int{})), n)
	fmt.Println(old, m, k)
	ints := map[int][]int{}
	ints[n] = append(ints[n], put(&n, 3))
	fmt.Println(ints)
	fmt.Println(result())
}

//cogen:async
func result() (n int, s []int) {
	defer step(1)
	n = 1
	s = []int{0, 1, 2, 3, 4, 5}[n : put(&n, 2)+3]
	return n, s
}

//go:noinline
func put[T any](p *T, v T) T {
	old := *p
	*p = v
	return old
}

//cogen:async
func byteKeys() {
	b := []byte("a")
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	fmt.Println("keys", m[string(b)], setByte(b, 'b'), m[string(b)], b)
	fmt.Println(m[string(b)], setByte(b, 'c'))
	fmt.Println(m[string(b)], setMap(m, string(b), 9), m)
	fmt.Println(m[string(b)+""], setByte(b, 'a'))
	type name string
	n := map[name]int{"a": 1, "b": 2, "c": 3}
	fmt.Println(n[name(b)], setByte(b, 'b'))
	type pair struct {
		k string
		n int
	}
	pairs := map[pair]int{{"a", 1}: 1, {"b", 1}: 2}
	fmt.Println(pairs[pair{string(b), 1}], setByte(b, 'a'))
	arrays := map[[1]string]int{{"a"}: 1, {"b"}: 2}
	fmt.Println(arrays[[1]string{string(b)}], setByte(b, 'b'))
	anys := map[any]int{"a": 1, "b": 2}
	fmt.Println(anys[string(b)], setByte(b, 'a'))
	m[string(b)] = setByte(b, 'b')
	m[string(b)] += setByte(b, 'c')
	m[string(b)]++
	fmt.Println(m)
	fs := map[string]func(int) int{"a": func(n int) int { return n }, "c": func(n int) int { return -n }}
	fmt.Println(fs[string(b)](setByte(b, 'a')))
	ps := map[string]*point{"a": {1, 2}, "c": {3, 4}}
	fmt.Println(ps[string(b)].x, setByte(b, 'c'), ps[string(b)].y)
	ps[string(b)].x = setByte(b, 'a')
	fmt.Println(*ps["a"], *ps["c"])
	v, ok := m[string(b)+text(setByte(b, 'c'))]
	fmt.Println(v, ok)
}

func text(n int) string { return string(rune('0' + n)) }

//cogen:async
func setByte(b []byte, c byte) int { step(3); old := b[0]; b[0] = c; return int(old) }

//cogen:async
func assertions[T any](zero, other T) {
	var x any = zero
	fmt.Println(both(x.(T), set(&x, any(other))))
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		fmt.Println(x.([]T), step(5))
	}()
	x = []T{zero}
	fmt.Println(len(x.([]T)), x.([]T), set(&x, any([]T{other, other})), x)
	x = map[string]T{"a": zero}
	fmt.Println(x.(map[string]T), set(&x, any(map[string]T{})), x)
	type local struct{ v T }
	x = local{zero}
	fmt.Println(both(x.(local), set(&x, any(local{other}))))
	x = &local{zero}
	fmt.Println(x.(*local).v, set(&x, any(&local{})), x.(*local).v)
	x = 3
	fmt.Println(x.(int), set(&x, any(4)), x)
	fmt.Println(x.(interface{}), set(&x, any(5)), x)
	b := &box[T]{v: other}
	fmt.Println(*b, box[T]{v: zero}, set(&b, &box[T]{v: zero}).n, box[T]{v: other, n: b.n}, step(2))
	x = [2]T{zero, other}
	fmt.Println(both(x.([2]T), set(&x, any([2]T{other, zero}))))
	y := []any{zero, other}
	i := 0
	fmt.Println(both(y[i].(T), set(&i, 1)))
}

type box[T any] struct {
	v    T
	list []T
	n    int
}

func both[T, U any](v T, w U) (T, U) { return v, w }

//cogen:async
func unsafes() {
	a := []int{1, 2, 3}
	b := []int{7, 8, 9}
	p := &a[0]
	n := 2
	fmt.Println("unsafe", unsafe.Slice(p, n), *set(&p, &b[1]), *p)
	fmt.Println(unsafe.Slice(p, n), set(&n, 1), n)
	s := "abc"
	q := unsafe.StringData(s)
	fmt.Println(unsafe.String(q, n), set(&n, 3))
	fmt.Println(*unsafe.StringData(s), set(&s, "xyz"))
	fmt.Println(*unsafe.SliceData(a), len(set(&a, b)))
	r := unsafe.Pointer(&a[0])
	fmt.Println(*(*int)(unsafe.Add(r, n*8-16)), set(&n, 2))
	fmt.Println(unsafe.Sizeof(n), step(1))
	fmt.Println(n)
}

//cogen:async
func statics() {
	fmt.Println("static", map[any]point{key("x"): {1, 1}, "x": {2, 2}})
	fmt.Println(map[any]int{key("x"): 1, any("x"): 2})
	fmt.Println(map[any]*point{key("x"): {1, 1}, "x": nil}["x"] == nil)
	fmt.Println(map[point]int{point{step(1), 1}: 1, {1, 1}: 2})
	fmt.Println(map[[1]any]any{{step(1)}: 1, {1}: point{3, 3}})
	fmt.Println(map[any]any{key("x"): 1, "x": any(nil)})
	fmt.Println(map[any][]int{key("x"): {1}, "x": {2}})
	fmt.Println(map[any][2]int{key("x"): {1}, "x": {2}})
	fmt.Println(map[any]error{key("x"): error(fault(1)), "x": fault(2)})
	fmt.Println(map[any]func(){key("x"): func() {}, "x": nil}["x"] == nil)
	fmt.Println(map[string]*point{text(step(0)): {1, 1}, "0": (*point)(nil)}["0"] == nil)
	fmt.Println(map[string]any{text(step(0)): 1, "0": any(nil), "1": nil})
	fmt.Println(map[string]any{text(step(0)): 1, "0": 2})
	fmt.Println(map[string][2]point{text(step(0)): {1: {1, 2}}, "0": {{}, {3, 4}}})
	n := 2
	fmt.Println(map[any][2]int{key("x"): {1}, "x": {n}})
	fmt.Println(map[any]any{key("x"): 1, "x": (*point)(nil)})
}

type fault int

func (f fault) Error() string { return "fault" }

//cogen:async
func key(v any) any { step(4); return v }

//cogen:async
func selects() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 1
	oks := make([]bool, 3)
	i := 0
	select {
	case i, oks[i] = <-c:
		fmt.Println("select", step(i), oks)
	}
	ints := make([]int, 3)
	select {
	case i, oks[i+1] = <-filled(2):
		fmt.Println(i, oks, step(3))
	case <-make(chan int):
	}
	i = 1
	select {
	case ints[step(i)], oks[set(&i, 2)] = <-c:
		fmt.Println(ints, oks, i)
	}
	var v any
	var ok any
	select {
	case v, ok = <-c:
		fmt.Println(v, ok, step(i))
	}
	close(c)
	p := &i
	select {
	case *p, oks[*p-1] = <-c:
		fmt.Println(i, oks, step(1))
	}
	m := map[int]bool{}
	c2 := make(chan int)
	go func() { c2 <- step(2) }()
	select {
	case i, m[i] = <-c2:
		fmt.Println(i, m)
	}
	var np *int
	func() {
		defer func() { fmt.Println(recover() != nil, oks) }()
		select {
		case *np, oks[0] = <-c:
			step(1)
		}
	}()
	func() {
		defer func() { fmt.Println(recover() != nil, i) }()
		select {
		case i, oks[7] = <-c:
			step(1)
		}
	}()
}

func filled(n int) chan int {
	c := make(chan int, 1)
	c <- n
	return c
}

//cogen:async
func zeroSized() {
	type z struct {
		_ [0]int
		p *int
	}
	n := 1
	var x any = z{p: &n}
	fmt.Println("zero", x.(z).p == nil, set(&x, any(z{})) != nil, x.(z).p == nil)
	x = z{p: &n}
	fmt.Println([]bool{*x.(z).p == 2, step(3) == 3})
}

//cogen:async
func set[T any](p *T, v T) T {
	old := *p
	step(1)
	*p = v
	return old
}

//cogen:async
func step(n int) int {
	fmt.Println("step", n)
	rt.Yield()
	return n
}
