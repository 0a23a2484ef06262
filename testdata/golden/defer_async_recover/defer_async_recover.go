// Package deferasyncrecover recover in deferred functions that await.
package deferasyncrecover

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(simple())
	fmt.Println(before())
	fmt.Println(both())
	fmt.Println(repanic())
	fmt.Println(method())
	fmt.Println(notDirect())
	fmt.Println(normal())
	fmt.Println(chain())
	fmt.Println(nested())
}

//cogen:async
func save(r *any) {
	*r = recover()
	step(1)
}

//cogen:async
func saveLate(r *any) {
	step(2)
	*r = recover()
	step(3)
	fmt.Println("second recover", recover())
}

//cogen:async
func simple() (r any) {
	defer save(&r)
	step(10)
	panic("simple")
}

//cogen:async
func before() (r any) {
	defer saveLate(&r)
	step(11)
	panic("before")
}

//cogen:async
func both() (r, s any) {
	defer save(&r)
	defer saveLate(&s)
	step(12)
	panic("both")
}

//cogen:async
func throw(s string) {
	e := recover()
	step(4)
	panic(fmt.Sprint(e, " then ", s))
}

//cogen:async
func repanic() (r any) {
	defer save(&r)
	defer throw("more")
	step(13)
	panic("first")
}

type saver struct{ r any }

//cogen:async
func (s *saver) save() {
	step(5)
	s.r = recover()
}

//cogen:async
func method() any {
	s := &saver{}
	with(s)
	return s.r
}

//cogen:async
func with(s *saver) {
	defer s.save()
	step(14)
	panic("method")
}

//cogen:async
func indirect(r *any) {
	step(6)
	save(r)
}

//cogen:async
func notDirect() (r any) {
	var inner any = "untouched"
	defer func() { r = fmt.Sprint(inner, recover()) }()
	defer indirect(&inner)
	step(15)
	panic("not direct")
}

//cogen:async
func normal() (r any) {
	r = "set"
	defer func() { fmt.Println("result", r) }()
	defer save(&r)
	return step(16)
}

//cogen:async
func chain() (r any) {
	defer save(&r)
	defer cleanup(1)
	defer cleanup(2)
	panic("chain")
}

//cogen:async
func cleanup(n int) {
	defer fmt.Println("cleaned", n)
	step(n)
	if n == 2 {
		panic(fmt.Sprint("cleanup ", n))
	}
}

// A recover while a nested frame panics and recovers of its own.
//
//cogen:async
func nested() (r any) {
	defer outer(&r)
	panic("outer")
}

//cogen:async
func outer(r *any) {
	fmt.Println("inner gave", simple())
	step(7)
	*r = recover()
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
