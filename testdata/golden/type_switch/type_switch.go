// Package typeswitch awaits around type switches.
package typeswitch

import (
	"errors"
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

//cogen:async
func work() {
	for _, v := range []any{1, "two", 3.5, nil, square{2}, &square{3}, errors.New("bad"), []int{1}, int8(4)} {
		fmt.Println(describe(v))
	}
	switch step(1); any(step(2)).(type) {
	case int:
		step(3)
	}
	switch v := value(4).(type) {
	case string, error:
		fmt.Printf("%T\n", v)
	case int:
		v++
		step(v)
		fmt.Println(v)
	}
	var nothing shape
	switch nothing.(type) {
	case nil:
		step(5)
	case square:
		step(6)
	}
	switch nothing := nothing.(type) {
	default:
		step(7)
		fmt.Println(nothing == nil)
	}
}

//cogen:async
func value(n int) any { return step(n) }

//cogen:async
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		step(0)
		return "nil"
	case int:
		return fmt.Sprint("int ", v+step(v))
	case int8, int16:
		step(8)
		return fmt.Sprintf("small %v", v)
	case string:
		if step(len(v)) == 3 {
			break
		}
		return "not here"
	case shape:
		step(v.area())
		return fmt.Sprint("shape ", v.area())
	case error:
		step(9)
		return v.Error()
	default:
		step(10)
		return fmt.Sprintf("other %T", v)
	}
	step(11)
	return "after " + v.(string)
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
