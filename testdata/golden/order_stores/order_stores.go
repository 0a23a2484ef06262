// Package orderstores assignments whose targets change while the right side is evaluated.
package orderstores

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type item struct {
	n    int
	list []int
	m    map[string]int
	p    *item
}

var global = item{n: 1}

//cogen:async
func work() {
	a := []int{1, 2, 3}
	b := a
	i, k := 0, "k"
	m := map[string]int{"k": 1}
	p := &i
	a[i], m[k], *p = move(&i, 1), rename(&k), renew(&a)
	fmt.Println(a, b, m, i, k)
	a, a[0] = b, step(5)
	fmt.Println(a, b)
	i = 0
	a[i], i = step(6), step(2)
	fmt.Println(a, i)
	a[i] += move(&i, 0)
	fmt.Println(a, i)
	a[i] -= replaceElement(a, 0)
	fmt.Println(a)
	m[k] += rename(&k)
	m[k] *= step(3)
	fmt.Println(m)
	*p += redirect(&p)
	fmt.Println(i, *p)
	x := item{n: 1, m: map[string]int{}}
	x.n += grow(&x)
	fmt.Println(x.n)
	x.p = &item{n: 5}
	x.p.n += detach(&x)
	fmt.Println(x.p.n)
	x.list = append(x.list, enlist(&x), enlist(&x))
	fmt.Println(x.list)
	x.m[fmt.Sprint(step(1))], x.m["b"] = len(x.m), step(len(x.m))
	fmt.Println(x.m)
	global.n, global = step(9), item{n: step(10)}
	fmt.Println(global.n)
	s := "s"
	s += s + lengthen(&s)
	fmt.Println(s)
	s, s = s+"1", lengthen(&s)
	fmt.Println(s)
	n := 1
	n, _ = step(2), n
	fmt.Println(n)
	n += n * double(&n)
	fmt.Println(n)
	n, a[1] = double(&n), n
	fmt.Println(n, a)
	arr := [2]int{1, 2}
	arr[0], arr[1] = arr[1], arr[0]+step(0)
	fmt.Println(arr)
	arr[step(1)]++
	pick(&arr)[step(0)]--
	*elem(&arr, 1) <<= step(1)
	fmt.Println(arr)
	var any1, any2 any
	any1, any2 = step(1), any1
	fmt.Println(any1, any2)
	v, ok := any1.(int)
	w, found := m[label(&k)]
	_, r := <-closed(), step(4)
	fmt.Println(v, ok, w, found, r)
	var y, z int = step(1), n
	y, z = z, y+double(&z)
	fmt.Println(y, z)
	for a[step(1)], x.n = range []int{step(7)} {
		fmt.Println(a, x.n)
	}
	for x.m[label(&k)] = range 2 {
		fmt.Println(x.m)
	}
	var q *item
	func() {
		defer func() { fmt.Println(recover(), n) }()
		n, q.n = stores()
	}()
	fmt.Println(n)
	func() {
		defer func() { fmt.Println(recover(), a) }()
		outOfRange(a)
	}()
}

//cogen:async
func move(p *int, to int) int { *p = to; return step(10) }

//cogen:async
func rename(k *string) int { *k += "'"; return step(len(*k)) }

//cogen:async
func label(k *string) string { *k += "!"; step(len(*k)); return *k }

//cogen:async
func renew(a *[]int) int { *a = []int{0, 0, 0}; return step(2) }

//cogen:async
func replaceElement(a []int, i int) int { a[i] = 100; return step(1) }

//cogen:async
func redirect(p **int) int { n := 50; *p = &n; return step(3) }

//cogen:async
func grow(x *item) int { x.n = 100; return step(1) }

//cogen:async
func detach(x *item) int { x.p = &item{n: 1000}; return step(1) }

//cogen:async
func enlist(x *item) int { x.list = append(x.list, 7); return step(len(x.list)) }

//cogen:async
func lengthen(s *string) string { *s += "-"; step(len(*s)); return *s }

//cogen:async
func double(n *int) int { *n *= 2; return step(*n) }

//cogen:async
func pick(a *[2]int) *[2]int { step(11); return a }

//cogen:async
func elem(a *[2]int, i int) *int { step(12); return &a[i] }

//cogen:async
func closed() chan int { c := make(chan int); close(c); step(13); return c }

//cogen:async
func stores() (int, int) { return step(14), step(15) }

//cogen:async
func outOfRange(a []int) {
	a[0], a[step(5)], a[1] = step(16), step(17), step(18)
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
