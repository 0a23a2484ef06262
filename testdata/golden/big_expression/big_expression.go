// Package bigexpression many awaits in one statement, and many variables that live across them.
package bigexpression

import (
	"errors"
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	a, b, c, d := step(1), step(2), step(3), step(4)
	fmt.Println((a+step(b))*(c-step(d)) + mul(mul(step(a), step(b)), mul(step(c), step(d)))*mul(a, mul(b, mul(c, step(d)))))
	fmt.Println([]map[string][]int{
		{"x": {step(a), mul(step(b), c)}, fmt.Sprint(step(d)): nil},
		{fmt.Sprint(mul(step(1), 2)): append([]int{step(3)}, a, step(4), b)},
	})
	v := [4][]int{}
	for i := range v {
		for j := range i {
			v[mul(i, 1)] = append(v[i], mul(step(i), j)+len(v[mul(1, i)]))
		}
	}
	fmt.Println(v)
	s := ""
	for i, w := range []string{"a", "b", "c"} {
		x := step(i)
		y := w + fmt.Sprint(mul(x, 2))
		z := y + s
		if mul(len(z), 1) > 2 {
			t := z[:2]
			s = t + fmt.Sprint(step(len(t)))
		} else {
			u := []string{z, y}
			step(len(u))
			s = u[0] + w
		}
		fmt.Println(x, y, z, s)
	}
	var bools [3]bool
	var f32 float32 = 1.5
	var u8 uint8 = 200
	var cplx = 1 + 2i
	var e error
	step(5)
	u8 += uint8(step(100))
	f32 *= float32(step(2))
	cplx *= complex(0, float64(step(1)))
	bools[step(1)] = step(1) == 1
	e = fmt.Errorf("%w: %d", errBase, step(6))
	fmt.Println(bools, f32, u8, cplx, e, errors.Is(e, errBase))
}

var errBase = errors.New("base")

//cogen:async
func mul(a, b int) int { return step(a) * b }

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
