// Package operators operators, conversions and builtins with awaited operands.
package operators

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/cogen-go/cogen/rt"
)

type celsius float64

type words []string

//cogen:async
func work() {
	fmt.Println(step(7)/step(2), step(7)%step(3), step(1)<<step(4), step(6)&step(3)|step(8)^step(1))
	fmt.Println(float64(step(3))/2, celsius(step(4)), int8(step(300)), uint(step(5)))
	fmt.Println(complex(float64(step(1)), float64(step(2))), real(complex(1, 2))+float64(step(3)))
	fmt.Println(min(step(3), step(1), 2), max(step(1), 5), len(word(3)), cap(make([]int, step(2), step(5))))
	s := append([]int(nil), step(1), step(2))
	s = append(s, list(3)...)
	fmt.Println(s, copy(s, list(2)), s)
	m := map[int]string{1: "a", 2: "b"}
	delete(m, step(1))
	fmt.Println(m)
	clear(table(m))
	fmt.Println(len(m))
	p := new(int)
	*p = step(6)
	fmt.Println(*p, string(rune(step(65))), []byte(word(2)), []rune(word(2)), string(bytes(2)))
	fmt.Println(list(5)[step(1):step(3)], list(5)[step(4)], word(5)[step(1):], list(4)[:step(1):step(2)])
	fmt.Println(word(1) < word(2), word(1)+word(2) == "xxx", any(step(1)) == any(step(1)))
	fmt.Println(words{word(1), word(2)}, [...]string{2: word(1), 0: word(3)})
	fmt.Println(map[string][]int{word(1): list(1), word(2): {step(5), step(6)}})
	fmt.Println(struct{ a, b int }{step(1), step(2)}, []struct{ n int }{{step(3)}, {n: step(4)}})
	fmt.Println(unsafe.Sizeof(step(9)), len([2]int{}))
	arr := [2]int(list(2))
	fmt.Println(arr, (*[1]int)(list(1)) != nil)
	f := func(a, b int) int { return a - b }
	fmt.Println(f(step(5), step(3)), func(n int) int { return n * n }(step(4)))
	fmt.Println(<-channel(8), *pointer(9), -step(1), +step(2), ^step(3), !truth(4))
	var c celsius = 20
	c += celsius(step(1))
	c++
	fmt.Println(c)
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		fail()
	}()
	close(open(1))
}

//cogen:async
func fail() { panic(fmt.Sprint("code ", step(5))) }

//cogen:async
func word(n int) string { return strings.Repeat("x", step(n)) }

//cogen:async
func bytes(n int) []byte { return []byte(word(n)) }

//cogen:async
func list(n int) (s []int) {
	for i := range step(n) {
		s = append(s, i)
	}
	return s
}

//cogen:async
func table(m map[int]string) map[int]string { step(1); return m }

//cogen:async
func channel(n int) chan int { c := make(chan int, 1); c <- step(n); return c }

//cogen:async
func open(n int) chan int { step(n); return make(chan int) }

//cogen:async
func pointer(n int) *int { n = step(n); return &n }

//cogen:async
func truth(n int) bool { return step(n) > 0 }

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
