// Package orderreads variables, fields and elements that change between their reads.
package orderreads

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type box struct {
	n    int
	s    string
	f    func(int) string
	next *box
}

func (b box) value(n int) string    { return fmt.Sprint(b.n, b.s, n) }
func (b *box) pointer(n int) string { return fmt.Sprint(b.n, b.s, n) }

type valuer interface{ value(int) string }

//cogen:async
func work() {
	b := box{n: 1, s: "a", f: func(n int) string { return fmt.Sprint("old", n) }}
	fmt.Println(b.f(change(&b)), b.n)
	p := &b
	fmt.Println(p.value(change(p)), p.n)
	fmt.Println(p.pointer(change(p)), p.n)
	fmt.Println(p.value(replace(&p)), p.n)
	fmt.Println(p.pointer(replace(&p)), p.n)
	fmt.Println(b.value(change(&b)))
	var v valuer = b
	fmt.Println(v.value(assign(&v, box{n: 70})), v.value(0))
	fs := []func(int) string{func(n int) string { return fmt.Sprint("zero", n) }}
	fmt.Println(fs[0](refill(fs)))
	s := "x"
	fmt.Println(s+extend(&s)+s, s)
	fmt.Println(s == extend(&s), s < extend(&s), len(s)+len(extend(&s)))
	bs := []byte("bytes")
	fmt.Println(string(bs)+scramble(bs), string(bs))
	i := 1
	a := [3]int{1, 2, 3}
	fmt.Println(a[i]+bump(&i), a[i]*bump(&i))
	i = 0
	fmt.Println(a == swapped(&a), a)
	sl := a[:]
	fmt.Println(sl[bump(&i)-1:][0]+cut(&sl), len(sl))
	x := 10
	fmt.Println(x/halve(&x), x%halve(&x), x<<halve(&x), x&halve(&x))
	fmt.Println(-x+halve(&x), ^x-halve(&x), float64(x)*float64(halve(&x)))
	q := &x
	fmt.Println(*q+redirect(&q), *q)
	var e any = x
	fmt.Println(e == any(erase(&e)), e)
	fmt.Println(any(x) == any(halve(&x)), x)
	t := struct{ a, b int }{1, 2}
	fmt.Println(t.a+func() int { t.a = 50; return step(1) }(), t.a)
	fmt.Println(box{n: x, s: fmt.Sprint(halve(&x))}.n, []int{x, halve(&x)}[0], map[int]int{x: halve(&x)})
	fmt.Println([]any{x, halve(&x), x}, x)
	fmt.Println(pair(x, halve(&x)))
	c := b
	fmt.Println(c.n+change(&c), nilFunc(c) == nil)
}

//cogen:async
func change(b *box) int {
	b.n++
	b.s += "+"
	b.f = func(n int) string { return fmt.Sprint("new", n) }
	return step(b.n)
}

//cogen:async
func replace(p **box) int {
	*p = &box{n: 100 + (*p).n, s: "replaced"}
	return step(1)
}

//cogen:async
func assign(v *valuer, b box) int { *v = b; return step(2) }

//cogen:async
func refill(fs []func(int) string) int {
	fs[0] = func(n int) string { return fmt.Sprint("refilled", n) }
	return step(3)
}

//cogen:async
func extend(s *string) string { *s += "y"; step(len(*s)); return *s }

//cogen:async
func scramble(b []byte) string { b[0] = '!'; step(5); return string(b) }

//cogen:async
func bump(p *int) int { *p = (*p + 1) % 3; return step(*p) }

//cogen:async
func swapped(a *[3]int) [3]int { a[0], a[2] = a[2], a[0]; step(6); return *a }

//cogen:async
func cut(s *[]int) int { *s = (*s)[1:]; return step(len(*s)) }

//cogen:async
func halve(p *int) int { *p = *p/2 + 1; return step(*p) }

//cogen:async
func redirect(p **int) int { n := 1000; *p = &n; return step(7) }

//cogen:async
func erase(e *any) any { *e = nil; step(8); return nil }

//cogen:async
func pair(a, b int) (int, int) { step(a); return a, b }

//cogen:async
func nilFunc(b box) interface{} { step(9); return nil }

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
