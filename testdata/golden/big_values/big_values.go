// Package bigvalues large and unusual variables that live across awaits.
package bigvalues

import (
	"fmt"
	"unsafe"

	"github.com/cogen-go/cogen/rt"
)

type matrix [8][8]int

type word uintptr

//cogen:async
func work() {
	var m matrix
	for i := range m {
		for j := range m[i] {
			m[i][j] = i * j
		}
		rt.Yield()
	}
	n := m
	step(1)
	n[7][7] = 0
	fmt.Println(m[7][7], n[7][7], m.trace(), transpose(m) == m)
	var buf [4096]byte
	copy(buf[:], "buffer")
	s := buf[:6]
	step(2)
	buf[0] = 'B'
	fmt.Println(string(s), len(buf))
	var (
		u   uintptr      = 5
		w   word         = word(u)
		c64 complex64    = 1 + 2i
		ch               = make(chan<- int, 1)
		rc  <-chan error = make(chan error)
		fn  func(...int) (int, error)
		mp  map[[2]int][]func()
		st  struct {
			a int
			_ [4]byte
			b struct{ c, d any }
		}
		arr [3]*[2]map[string]int
		e   interface{ Error() string }
		up  = unsafe.Pointer(&u)
	)
	step(3)
	ch <- 1
	*(*uintptr)(up) = 6
	w += word(u)
	c64 *= c64
	st.b.c, st.b.d = step(4), st.a
	arr[1] = &[2]map[string]int{1: {"k": step(5)}}
	fn = func(n ...int) (int, error) { return len(n), nil }
	e, _ = any(&failure{}).(error)
	mp = map[[2]int][]func(){{1, 2}: {func() { fmt.Println("called") }}}
	step(6)
	mp[[2]int{1, 2}][0]()
	k, err := fn(1, 2, 3)
	fmt.Println(u, w, c64, len(ch), rc != nil, st.b, arr[1][1]["k"], e, k, err)
	var zero struct{}
	var zeros [0]int
	set := map[struct{}]bool{zero: true}
	step(7)
	fmt.Println(zero, zeros, set[zero])
	x, y := 1, 2
	px, py := &x, &y
	step(8)
	*px, *py = *py, *px
	fmt.Println(x, y)
	var self any
	self = &self
	step(9)
	fmt.Println(self == any(&self))
	var cyc *cycle = &cycle{}
	cyc.next = cyc
	step(10)
	fmt.Println(cyc.next.next == cyc)
}

type cycle struct{ next *cycle }

type failure struct{}

func (*failure) Error() string { return "failure" }

//cogen:async
func (m matrix) trace() (t int) {
	for i := range m {
		t += m[i][i]
		m[i][i] = step(0)
	}
	return t
}

//cogen:async
func transpose(m matrix) (t matrix) {
	for i, row := range m {
		for j, v := range row {
			t[j][i] = v
		}
		rt.Yield()
	}
	return
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
