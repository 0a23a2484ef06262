// Package gotoforms goto across and into awaiting code.
package gotoforms

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	i := 0
again:
	fmt.Println("round", i)
	if step(i) < 2 {
		i++
		goto again
	}
	if i == 2 {
		goto skip
	}
	step(99)
skip:
	for j := range 3 {
		if j == 1 {
			goto out
		}
		step(10 + j)
	}
	step(98)
out:
	fmt.Println(retry(3))
	{
		k := 0
	inner:
		k++
		step(k)
		if k < 2 {
			goto inner
		}
	}
	goto end
end:
	step(50)
}

//cogen:async
func retry(n int) (tries int, err error) {
retry:
	tries++
	if err = attempt(tries, n); err != nil {
		if tries < 5 {
			goto retry
		}
		return
	}
	var fs []func() int
	i := 0
next:
	x := i
	fs = append(fs, func() int { x++; return x })
	step(x)
	i++
	if i < 3 {
		goto next
	}
	fmt.Println(fs[0](), fs[1](), fs[2](), fs[0]())
	return
}

//cogen:async
func attempt(i, n int) error {
	if step(i) < n {
		return fmt.Errorf("attempt %d", i)
	}
	return nil
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
