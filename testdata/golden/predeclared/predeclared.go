// Package predeclared declares names that the language declares itself.
package predeclared

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type (
	bool   int8
	int    struct{ n int64 }
	int32  struct{ int }
	string []byte
	any    interface{ what() int64 }
	error  = any
)

const (
	true, false = "true", "false"
	iota        = 100
)

var channel = make(chan bool, 1)

var nil, new, append = 0, 1, 3

func len(x any) int64 { return x.what() }

func panic() int64 { return 6 }

func recover() int64 { return 5 }

func (b bool) what() int64 { return int64(b) }

func (n int) what() int64 { return n.n }

//cogen:async
func work() {
	var b bool = 3
	fmt.Println(len(b), true, false, nil, iota, new, append, step(1))
	for i, c := range "añ" {
		fmt.Println(i, c, step(2))
	}
	for i, v := range []int{{1}, {2}} {
		fmt.Println(i, v, step(3))
	}
	for i := range step(2) {
		fmt.Println(i, step(4))
	}
	for i := range [2]int32{} {
		fmt.Println(i, step(5))
	}
	for k, v := range map[bool]error{1: b} {
		fmt.Println(k, v.what(), step(6))
	}
	var e error
	var s string
	p := &s
	fmt.Println(e, none(), step(7))
	*p = string("x")
	keep := func() string { return s }
	fmt.Println(keep(), step(8), len(bool(step(9))))
	fmt.Println(panic(), recover(), 1 < step(10) && step(11) > 5)
	fmt.Println(generic(b), generic(int{step(12)}), *pointer(b))
	fmt.Println(named[bool, error](step(13)))
	func() {
		defer func() { fmt.Println("deferred", step(14)) }()
		fmt.Println(step(15))
	}()
	c := make1()
	c <- b
	select {
	case v := <-c:
		fmt.Println(v, step(16))
	}
	switch x := any(b).(type) {
	case bool:
		fmt.Println(x, step(17))
	}
}

//cogen:async
func none() (s string) {
	step(20)
	return
}

func make1() chan bool { return channel }

//cogen:async
func generic[T any](x T) (result T) {
	var zero T
	step(21)
	result = zero
	step(22)
	return x
}

//cogen:async
func named[int any, byte interface{ what() int64 }](x int64) (y int, z byte) {
	var other int
	step(x)
	y = other
	return
}

//cogen:async
func pointer(x bool) *bool {
	step(23)
	return &x
}

// step stands for an await point: it prints, suspends once and returns n.
//
//cogen:async
func step(n int64) int64 {
	fmt.Println("step", n)
	rt.Yield()
	return n
}

// Main is the program.
func Main() { work() }
