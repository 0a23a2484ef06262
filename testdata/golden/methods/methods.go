// Package methods methods by value and by pointer, promoted, bound and through interfaces.
package methods

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type base struct{ n int }

//cogen:async
func (b base) get() int { return step(b.n) }

//cogen:async
func (b *base) set(n int) *base { step(n); b.n = n; return b }

//cogen:async
func (base) none() int { return step(77) }

//cogen:async
func (_ *base) blank(_ int) int { return step(78) }

type outer struct {
	base
	name string
}

type wrapper struct{ *outer }

type getter interface{ get() int }

type number int

//cogen:async
func (n number) double() number { return number(step(int(n)) * 2) }

type list []int

//cogen:async
func (l list) sum() (total int) {
	for _, v := range l {
		total += step(v)
	}
	return
}

type handler func(int) int

//cogen:async
func (h handler) call(n int) int { return h(step(n)) }

type table map[string]int

//cogen:async
func (t table) add(k string, n int) { t[k] += step(n) }

//cogen:async
func work() {
	b := base{1}
	fmt.Println(b.get(), (&b).get())
	b.set(2)
	fmt.Println(b.set(3).set(4).get(), b.none(), b.blank(0))
	var none *base
	fmt.Println(none.blank(1))
	o := outer{base{5}, "o"}
	fmt.Println(o.get())
	o.set(6)
	w := wrapper{&o}
	fmt.Println(w.get(), w.set(7).n, o.n, w.outer.base.get())
	var g getter = o
	fmt.Println(g.get())
	g = w
	o.n = 8
	fmt.Println(g.get())
	f := b.get
	b.n = 9
	fmt.Println(f(), base.get(b), (*base).get(&b), getter.get(b), outer.get(o))
	h := (*base).set
	h(&b, 10)
	fmt.Println(b.n)
	fmt.Println(number(3).double().double(), list{1, 2}.sum(), handler(func(n int) int { return -n }).call(4))
	t := table{}
	t.add("k", 5)
	t.add("k", 6)
	fmt.Println(t)
	arr := []base{{1}, {2}}
	for i := range arr {
		arr[i].set(arr[i].get() * 10)
	}
	fmt.Println(arr)
	m := map[string]base{"a": {3}}
	fmt.Println(m["a"].get())
	// The receiver's value is the one at the call.
	v := base{11}
	fmt.Println(v.add(v.set(12).n), v.n)
	func() {
		defer func() { fmt.Println(recover()) }()
		nilReceiver(nil)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		nilInterface(nil)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		nilEmbedded(wrapper{})
	}()
}

//cogen:async
func (b base) add(n int) int { return step(b.n) + n }

//cogen:async
func nilReceiver(p *base) int { return p.get() + step(1) }

//cogen:async
func nilInterface(g getter) int { return step(2) + g.get() }

//cogen:async
func nilEmbedded(w wrapper) int { return w.get() + step(3) }

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
