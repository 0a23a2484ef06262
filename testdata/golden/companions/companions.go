// Package companions await points that come from companions of every kind.
package companions

import (
	"errors"
	"fmt"

	"github.com/cogen-go/cogen/rt"
)

// later finishes at the second poll.
type later[T any] struct {
	v      T
	polled bool
}

func (l *later[T]) Poll(cx *rt.Context) bool {
	if !l.polled {
		l.polled = true
		cx.Wake()
		return false
	}
	return true
}

func (l *later[T]) Result() T { return l.v }

// By pointer, without Init.
func echo(n int) int              { return rt.Await(echoAsync(n)).Result() }
func echoAsync(n int) *later[int] { fmt.Println("echo", n); return &later[int]{v: n} }

// By value, with Init.
func twice(n int) int              { f := twiceAsync(n); return rt.Await(&f).Result() }
func twiceAsync(n int) twiceFuture { return twiceFuture{n: n} }

type twiceFuture struct{ n, polls int }

func (f *twiceFuture) Init(n int) { f.n, f.polls = n, 0 }

func (f *twiceFuture) Poll(cx *rt.Context) bool {
	if f.polls++; f.polls < 3 {
		cx.Wake()
		return false
	}
	return true
}

func (f *twiceFuture) Result() int { return 2 * f.n }

// Generic, and with several results.
func both[A, B any](a A, b B) (A, B) { return rt.Await(bothAsync(a, b)).Result() }

func bothAsync[A, B any](a A, b B) *pairFuture[A, B] { return &pairFuture[A, B]{a: a, b: b} }

type pairFuture[A, B any] struct {
	a A
	b B
	later[bool]
}

func (f *pairFuture[A, B]) Result() (A, B) { return f.a, f.b }

// Variadic, without results.
func log(format string, args ...any) { rt.Await(logAsync(format, args...)) }

func logAsync(format string, args ...any) *later[struct{}] {
	fmt.Printf(format, args...)
	return &later[struct{}]{}
}

// A method, and one that is promoted.
type conn struct{ name string }

func (c *conn) read(n int) (string, error) { return rt.Await(c.readAsync(n)).Result() }

func (c *conn) readAsync(n int) *readFuture { return &readFuture{c: c, n: n} }

type readFuture struct {
	c *conn
	n int
	later[int]
}

func (f *readFuture) Result() (string, error) {
	if f.n < 0 {
		return "", errors.New("negative")
	}
	return fmt.Sprint(f.c.name, f.n), nil
}

type buffered struct {
	*conn
	n int
}

// An interface that has the companion as well.
type reader interface {
	read(n int) (string, error)
	readAsync(n int) *readFuture
}

// Not companions: other parameters, no future, a variable.
func add(a, b int) int           { return a + b }
func addAsync(a int) *later[int] { panic("not here") }

func sub(a, b int) int      { return a - b }
func subAsync(a, b int) int { panic("not here") }

func mul(a, b int) int { return a * b }

var mulAsync = func(a, b int) *later[int] { panic("not here") }

// A future that is ready at once, and one that panics.
func now(n int) int              { return rt.Await(nowAsync(n)).Result() }
func nowAsync(n int) *later[int] { return &later[int]{v: n, polled: true} }

func bad(n int) int             { return rt.Await(badAsync(n)).Result() }
func badAsync(n int) *badFuture { return &badFuture{n: n} }

type badFuture struct {
	n      int
	polled bool
}

func (f *badFuture) Poll(cx *rt.Context) bool {
	if f.n == 0 {
		panic("first poll")
	}
	if !f.polled {
		f.polled = true
		cx.Wake()
		return false
	}
	panic("second poll")
}

func (f *badFuture) Result() int { return 0 }

//cogen:async
func work() {
	fmt.Println(echo(step(1)) + echo(2))
	fmt.Println(twice(twice(3)), twice(4))
	for i := range 3 {
		if twice(i) > 2 {
			fmt.Println("more")
		}
	}
	fmt.Println(both(1, "a"))
	s, err := both([]int{step(1)}, errors.New("e"))
	fmt.Println(s, err)
	log("%d %v\n", step(1), "logged")
	log("nothing\n")
	c := &conn{"c"}
	fmt.Println(c.read(1))
	b := buffered{c, 5}
	fmt.Println(b.read(b.n))
	fmt.Println(b.conn.read(-1))
	var r reader = b
	fmt.Println(r.read(step(2)))
	defer log("deferred %d\n", echo(9))
	fmt.Println(add(step(1), 2), sub(3, step(1)), mul(2, step(2)))
	fmt.Println(now(3) + now(step(4)))
	fmt.Println(try(0), try(1))
	fmt.Println(rt.Await(echoAsync(step(5))).Result(), rt.Await(c.readAsync(6)).n)
	f := twiceAsync(7)
	rt.Await(&f)
	fmt.Println(f.Result(), f.polls)
	g := c.read
	fmt.Println(g(8))
}

//cogen:async
func try(n int) (v any) {
	defer func() { v = recover() }()
	return bad(n)
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
