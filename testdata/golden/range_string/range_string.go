// Package rangestring ranging over strings with invalid UTF-8.
package rangestring

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	s := "a\xffé\xe2\x82\U0001F600\xed\xa0\x80z\xc3"
	for i, r := range s {
		s = "changed"
		fmt.Printf("%d %U\n", step(i), r)
	}
	for i := range "é\x80x" {
		step(i)
	}
	for range "ab" {
		step(9)
	}
	var i int
	var r rune
	for i, r = range text() {
		step(int(r))
	}
	fmt.Println(i, r)
	type name string
	for _, r := range name("né") {
		fmt.Println(string(r), step(1))
	}
	for i, b := range []byte("\xff1") {
		fmt.Println(step(i), b)
	}
}

//cogen:async
func text() string { step(5); return "x\xf0" }

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
