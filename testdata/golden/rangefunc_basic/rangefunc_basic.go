// Package rangefuncbasic: loops over marked iterators, whose bodies are part of the
// frame of the function that has the loop.
package rangefuncbasic

import (
	"fmt"
	"iter"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(sum(4))
	fmt.Println(pairs())
	fmt.Println(find(3))
	fmt.Println(find(9))
	none()
	fmt.Println(perIteration())
	l := &list{1, &list{2, &list{3, nil}}}
	fmt.Println(methods(l))
	fmt.Println(nested(l))
	literal()
}

// upTo3 waits itself, too.
//
//cogen:async
func upTo3(yield func(int) bool) {
	for i := range 4 {
		step(i)
		if !yield(i) {
			fmt.Println("stopped at", i)
			return
		}
	}
	fmt.Println("end")
}

//cogen:async
func sum(n int) (total int, text string) {
	for v := range upTo3 {
		if v == 1 {
			continue
		}
		n += step(v * 10)
		total += v
		text += fmt.Sprint(v, ";")
	}
	return total + n, text
}

//cogen:async
func words(yield func(int, string) bool) {
	_ = yield(0, "zero") && yield(1, "one") && yield(2, "two")
}

//cogen:async
func pairs() string {
	var k int
	var all [3]string
	for k, all[k] = range words {
		step(k)
	}
	s := fmt.Sprintf("%d %q", k, all)
	for i := range words {
		s += fmt.Sprint(step(i))
	}
	for _, w := range words {
		s += w
	}
	return s
}

//cogen:async
func find(n int) (string, error) {
	for v := range upTo3 {
		if step(v) == n {
			return fmt.Sprint("found ", v), nil
		}
	}
	return "", fmt.Errorf("no %d", n)
}

//cogen:async
func twice(yield func() bool) {
	if yield() {
		yield()
	}
}

//cogen:async
func none() {
	n := 0
	for range twice {
		n++
		step(n)
	}
	fmt.Println("times", n)
}

//cogen:async
func perIteration() []int {
	var fs []func() int
	for v := range upTo3 {
		step(v)
		fs = append(fs, func() int { v *= 2; return v })
	}
	var out []int
	for _, f := range fs {
		f()
		out = append(out, f())
	}
	return out
}

type list struct {
	value int
	next  *list
}

//cogen:async
func (l *list) each(yield func(int) bool) {
	for ; l != nil; l = l.next {
		if !yield(step(l.value)) {
			return
		}
	}
}

//cogen:async
func (l *list) all() iter.Seq[int] {
	fmt.Println("all of", l.value)
	return func(yield func(int) bool) {
		for e := l; e != nil; e = e.next {
			step(100 + e.value)
			if !yield(e.value) {
				fmt.Println("all stopped")
				break
			}
		}
	}
}

//cogen:async
func methods(l *list) (n int) {
	for v := range l.each {
		n += step(v)
	}
	for v := range l.all() {
		n += step(v)
		if v == 2 {
			break
		}
	}
	return n
}

//cogen:async
func nested(l *list) string {
	s := ""
outer:
	for a := range l.all() {
		for b := range l.all() {
			for c := range l.each {
				switch step(a*100 + b*10 + c) {
				case 112:
					break
				case 121:
					continue outer
				case 221:
					break outer
				case 113:
					goto next
				}
				s += fmt.Sprint(a, b, c, " ")
			}
		next:
			s += "| "
		}
	}
	return s
}

//cogen:async
func literal() {
	n := 2
	for v := range func(yield func(int) bool) {
		for range n {
			step(-n)
			if !yield(n) {
				break
			}
			n--
		}
		n += 5
	} {
		fmt.Println("literal", step(v), n)
	}
	fmt.Println(n)
	down := func(yield func(int) bool) {
		for n > 0 && yield(step(n)) {
			n -= 3
		}
	}
	for v := range down {
		fmt.Println("held", step(v), n)
	}
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
