// Package statementsplain statements without awaits that stay as they are, among others.
package statementsplain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	total := 0
	for i := 0; i < 3; i++ {
		for j := range i {
			if j == 1 {
				continue
			}
			total += j + i
		}
	}
	step(total)
	var fs []func() int
	for i := 0; i < 2; i++ {
		fs = append(fs, func() int { i++; total++; return i })
	}
	step(1)
	fmt.Println(fs[0](), fs[1](), fs[0](), total)
	switch x := total % 3; x {
	case 0, 1:
		total *= 2
		fallthrough
	case 2:
		total++
	default:
		total = -1
	}
	step(total)
	m := make(map[string][]int)
	for i, w := range strings.Fields("a b a c b a") {
		m[w] = append(m[w], i)
	}
	keys := slices.Sorted(maps.Keys(m))
	for _, k := range keys {
		fmt.Println(k, m[k])
		step(len(m[k]))
	}
	if v, ok := m["a"]; ok && len(v) == 3 {
		total = len(v)
	} else if ok {
		total = -1
	} else {
		step(99)
	}
search:
	for i, row := range [][]int{{1, 2}, {3, 4}} {
		for _, v := range row {
			if v == 3 {
				total += i
				break search
			}
		}
	}
	fmt.Println(step(total))
	defer func(n int) { fmt.Println("deferred", n, total) }(total)
	func() {
		defer func() { recover() }()
		var p *int
		total = 100
		*p = 1
	}()
	step(total)
	func() {
		if total == 100 {
			return
		}
		total = -1
	}()
	var sb strings.Builder
	for i := range 3 {
		fmt.Fprintf(&sb, "%d;", i)
	}
	step(sb.Len())
	fmt.Println(sb.String())
	go func(int) {}(total)
	c := make(chan int, 1)
	select {
	case c <- total:
	default:
		total = -1
	}
	step(<-c)
	x, y := 1, 2
	{
		x, y := y, x
		total = x*10 + y
	}
	step(total)
	fmt.Println(x, y)
	var i any = sb.String()
	switch v := i.(type) {
	case string:
		total = len(v)
	}
	step(total)
	const c1, c2 = 1, "two"
	type local struct{ a, b int }
	l := local{1, 2}
	l.a, l.b = l.b, l.a
	fmt.Println(c1, c2, l)
	return
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
