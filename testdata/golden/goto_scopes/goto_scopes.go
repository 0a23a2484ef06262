// Package gotoscopes goto between blocks, with variables that are fresh each time.
package gotoscopes

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(machine("aab!b"))
	var fs []func() int
	n := 0
start:
	{
		v := n * 10
		fs = append(fs, func() int { v++; return v })
		if step(n) < 2 {
			n++
			goto start
		}
		v += 100
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
	for i := range 3 {
		for j := range 3 {
			if i*j == 1 {
				goto found
			}
			step(i*10 + j)
		}
		continue
	found:
		fmt.Println("found", i)
	}
	i := 0
loop:
	if i < 3 {
		switch {
		case i == 1:
			i += step(1)
			goto loop
		}
		i++
		goto loop
	}
	fmt.Println(i)
	goto last
middle:
	step(50)
	goto end
last:
	step(51)
	goto middle
end:
	for k := 0; ; k++ {
		defer func() { fmt.Println("deferred", k) }()
		if step(k) == 2 {
			goto out
		}
	}
out:
	fmt.Println("out")
	select {
	default:
		if step(1) == 1 {
			goto done
		}
	}
	fmt.Println("not here")
done:
}

//cogen:async
func machine(s string) (state string) {
	i := 0
	var c byte
next:
	if i == len(s) {
		return state
	}
	c = s[i]
	i++
	switch c {
	case 'a':
		goto a
	case 'b':
		goto b
	}
	defer func() { state += "?" }()
	goto next
a:
	state += fmt.Sprint("A", step(i))
	goto next
b:
	state += fmt.Sprint("B", step(i))
	goto next
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
