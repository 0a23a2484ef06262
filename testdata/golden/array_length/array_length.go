// Package arraylength takes the length of arrays in expressions that wait: without
// the call in it, such a length would be a constant.
package arraylength

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

type holder struct {
	array [4]int
	next  *holder
}

//cogen:async
func work() {
	h := &holder{array: [4]int{1, 2, 3, 4}}
	fmt.Println(len(array(1)), cap(array(2)), len(pointer(h)), cap(*pointer(h)), len(self(h).array))
	fmt.Println(len([3]int{step(1), step(2)}), len([]int{step(1), step(2)}))
	// None of these would compile with a constant.
	fmt.Println(10/(len(array(3))-3), uint8(len(array(4))*100), 1.5+float64(len(array(4))))
	for i := range len(pointer(nil)) {
		fmt.Println(i)
	}
	try("divide", func() { divide(h) })
	try("index", func() { index(h) })
	try("pointer", func() { viaPointer(nil) })
	try("array", func() { viaArray(nil) })
	try("field", func() { viaField(nil) })
	try("field of field", func() { viaField(h) })
	try("range", func() { ranged(nil) })
	try("range over a pointer", func() { rangedPointer(nil) })
	try("range over a field", func() { rangedField(nil) })
}

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

//cogen:async
func divide(h *holder) int { return 1 / (len(pointer(h)) - 4) }

//cogen:async
func index(h *holder) int { return h.array[len(pointer(h))] }

//cogen:async
func viaPointer(h *holder) int { return len(pointer(h)) }

//cogen:async
func viaArray(h *holder) { _ = len(*pointer(h)) }

//cogen:async
func viaField(h *holder) { _ = cap(self(self(h).next).array) }

//cogen:async
func ranged(h *holder) {
	for range *pointer(h) {
		step(3)
	}
}

//cogen:async
func rangedPointer(h *holder) {
	for i := range pointer(h) {
		step(i)
	}
}

//cogen:async
func rangedField(h *holder) {
	for range self(h).array {
		step(4)
	}
}

//cogen:async
func array(n int) [4]int { return [4]int{step(n)} }

//cogen:async
func self(h *holder) *holder {
	rt.Yield()
	return h
}

//cogen:async
func pointer(h *holder) *[4]int {
	step(0)
	if h == nil {
		return nil
	}
	return &h.array
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
