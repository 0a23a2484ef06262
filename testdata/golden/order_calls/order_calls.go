// Package ordercalls the order of evaluation of operands around awaits.
package ordercalls

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type point struct{ x, y int }

func (p point) add(n int) point { return point{p.x + n, p.y + n} }

var global = 1

//cogen:async
func work() {
	x := 1
	fmt.Println(x + inc(&x))
	x = 1
	fmt.Println(x+inc(&x)*x, x)
	fmt.Println(step(1)+step(2)*step(3)-step(4), step(5))
	show(x, inc(&x), x, inc(&x))
	p := point{1, 2}
	fmt.Println(p.x+move(&p), p.y, p)
	q := &p
	fmt.Println(q.x+swap(&q), q.x)
	s := []int{1, 2, 3}
	i := 0
	fmt.Println(s[i]+setIndex(&i, 2), i)
	fmt.Println(s[i] + replace(&s) + s[0])
	m := map[string]int{"a": 1}
	fmt.Println(store(m, "a", 50)+m["a"], m["a"])
	fmt.Println(global + setGlobal(7) + global)
	fmt.Println(p.add(step(1)).add(step(2)), p.add(move(&p)))
	fmt.Println(len(s)+shrink(&s), len(s))
	f := func(n int) int { return n + 100 }
	fmt.Println(f(change(&f)))
	fmt.Println(string(rune('a'+step(1))) + fmt.Sprint(step(2)))
	var a any = x
	fmt.Println(a.(int)+setAny(&a, 20), a)
	fmt.Println(-x+inc(&x), !(step(0) == 0), ^step(1))
	fmt.Println(q.x+0*step(3), *q)
	fmt.Println(append(s, step(7), len(s), shrink(&s)))
	fmt.Println(pick(step(1), step(2))(step(3), step(4)))
	fmt.Println(both(step(5)))
	fmt.Println(float64(x)+float64(inc(&x)), x)
	ch := make(chan int, 3)
	ch <- 10
	ch <- 20
	fmt.Println(<-ch + send(ch, 30) + <-ch)
	fmt.Println(point{x, inc(&x)}, []int{x, inc(&x), x}, [2]int{inc(&x), x})
	fmt.Println(&point{step(1), x} != nil, *(&point{inc(&x), x}))
}

//cogen:async
func inc(p *int) int { *p += 10; return step(*p) }

//cogen:async
func move(p *point) int { p.x, p.y = 30, 40; return step(1) }

//cogen:async
func swap(p **point) int { *p = &point{7, 8}; return step(1) }

//cogen:async
func setIndex(p *int, n int) int { *p = n; return step(n) }

//cogen:async
func replace(p *[]int) int { *p = []int{step(100), 200, 300}; return 1000 }

//cogen:async
func store(m map[string]int, k string, n int) int { m[k] = n; return step(n) }

//cogen:async
func setGlobal(n int) int { global = n; return step(n) }

//cogen:async
func shrink(p *[]int) int { *p = (*p)[:1]; return step(1) }

//cogen:async
func change(f *func(int) int) int {
	*f = func(n int) int { return n + 200 }
	return step(1)
}

//cogen:async
func setAny(p *any, n int) int { *p = n; return step(n) }

//cogen:async
func pick(a, b int) func(int, int) int {
	step(a + b)
	return func(c, d int) int { return a*1000 + b*100 + c*10 + d }
}

//cogen:async
func both(n int) (int, string) { return step(n), fmt.Sprint(step(n + 1)) }

//cogen:async
func send(c chan int, n int) int { c <- n; return step(n) }

//cogen:async
func show(a ...int) { step(len(a)); fmt.Println(a) }

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
