// Package plainbetween plain functions between async ones, at several depths.
package plainbetween

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	fmt.Println(outer(3))
	fmt.Println(viaClosure(2))
	r := bufio.NewReader(&source{text: "line one\nline two\n"})
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Print(line)
		step(len(line))
	}
	b, err := io.ReadAll(io.LimitReader(&source{text: "abcdef"}, 4))
	fmt.Println(string(b), err)
	var v struct{ A []int }
	fmt.Println(json.NewDecoder(&source{text: `{"A": [1, 2, 3]}`}).Decode(&v), v)
	fmt.Println(depth(20))
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		panics(2)
	}()
	step(9)
}

// outer, middle and inner take turns in being async.
//
//cogen:async
func outer(n int) int { return middle(step(n)) + step(1) }

func middle(n int) int {
	x := n * 10
	y := inner(n)
	return x + y + step(2)
}

//cogen:async
func inner(n int) int {
	if n > 0 {
		return middle(n-1) + step(n)
	}
	return step(100)
}

//cogen:async
func viaClosure(n int) (r int) {
	each(n, func(i int) {
		each(i, func(j int) { r += step(i*10 + j) })
		r += add(i)
	})
	return r
}

func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

//cogen:async
func add(n int) int { return step(n) + 1000 }

// source gives its text in small pieces and waits before each.
type source struct{ text string }

func (s *source) Read(p []byte) (int, error) {
	rt.Yield()
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(3, len(p))], s.text)
	s.text = s.text[n:]
	return n, nil
}

func depth(n int) int {
	var pad [512]byte
	pad[n] = byte(n)
	if n == 0 {
		return step(0)
	}
	return depth(n-1) + int(pad[n])
}

func panics(n int) {
	defer step(n)
	thrower(n)
}

//cogen:async
func thrower(n int) { step(n); panic("from below") }

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
