// Package untypedvalues constants, nil and untyped booleans take their types from where they are used.
package untypedvalues

import (
	"fmt"
	"time"

	"github.com/cogen-go/cogen/rt"
)

type flag bool

type level uint8

type code string

const big = 1 << 40

//cogen:async
func work() {
	var u8 uint8 = 1 << step(4)
	var u64 uint64 = 1<<step(40) | big>>step(3)
	var f float64 = float64(int(1)<<step(3)) + 1/2. + float64(step(1))/4
	fmt.Printf("%T %v %T %v %v\n", u8, u8, u64, u64, f)
	var fl flag = step(1) > 0 && step(2) > 5
	fmt.Printf("%T %v\n", fl, fl)
	fl = step(1) > 0 || fl
	fmt.Printf("%T %v\n", fl && flag(step(3) == 3), !fl)
	fmt.Println(both(step(1) == 1, step(2) == 2 || step(3) == 3))
	take(nil, step(5), nil)
	var e error = choose(step(0) == 0, nil, nil)
	fmt.Println(e == nil)
	var l level = 250
	l += level(step(10))
	fmt.Println(l, 'a'+rune(step(1)), "s"+code(fmt.Sprint(step(2))))
	x := 'x' + int32(step(1))
	y := 2.0 * float32(step(3))
	z := 1i * complex(float64(step(2)), 0)
	fmt.Printf("%T %T %T %v %v %v\n", x, y, z, x, y, z)
	var a any = 1.0
	a, b := 'c', any(step(4))
	fmt.Printf("%T %T\n", a, b)
	var i8 int8 = -128
	fmt.Println(i8/int8(step(-1)), -i8, i8-int8(step(1)), uint8(step(255))+u8)
	var d time.Duration = 5 * time.Second
	d = d/time.Duration(step(2)) + 3*time.Millisecond
	fmt.Println(d)
	fmt.Println(len("constant")+step(1), min(1, step(2), 2.0), max(step(3), 'a'))
	arr := [...]int{5: step(1), 2, 1: step(3)}
	fmt.Println(len(arr), arr)
	m := map[any]any{nil: step(1), 1: nil, "k": step(2) == 2}
	fmt.Println(len(m), m[nil], m["k"], m[1] == nil)
	var p *int = nil
	if p == nil && step(1) == 1 {
		fmt.Println(p == ptr(step(0)))
	}
	if v := value(step(3)); v != nil && v != 3 {
		fmt.Println("not here")
	}
	switch {
	case step(1) == 2, fl == true && step(3) == 4:
	case bool(flag(step(5) == 5)):
		fmt.Println("typed")
	}
	fmt.Println(1.5*2, 07*step(1), 0x10, 1_000*step(2))
	shift := step(1)
	var w int64 = 1<<shift + 1<<step(33)
	fmt.Println(w, ^0<<step(2), -7/step(2), -7%step(2), -7>>step(1))
	var k code = code(text(step(1)) + "-" + text(step(2)))
	fmt.Println(k)
}

//cogen:async
func both(a, b flag) (flag, bool) { step(1); return a && b, bool(a || b) }

//cogen:async
func take(e error, n int, f func()) { step(n); fmt.Println(e == nil, f == nil) }

//cogen:async
func choose(b bool, x, y error) error {
	if b && step(1) == 1 {
		return x
	}
	return y
}

//cogen:async
func ptr(n int) *int {
	if step(n) == 0 {
		return nil
	}
	return &n
}

//cogen:async
func value(n int) any {
	if n == 0 {
		return nil
	}
	return step(n)
}

//cogen:async
func text(n int) code { step(n); return code(fmt.Sprint("t", n)) }

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
