// Package awaitfutures rt.Await on futures that are values, with and without results.
package awaitfutures

import (
	"fmt"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// countdown finishes after n more polls.
type countdown struct {
	n, polls int
}

func (c *countdown) Poll(cx *rt.Context) bool {
	c.polls++
	if c.n == 0 {
		return true
	}
	c.n--
	cx.Wake()
	return false
}

func (c *countdown) Result() (int, string) { return c.polls, "done" }

// lookup has a companion written by hand.
func lookup(n int) (int, string) { return rt.Await(lookupAsync(n)).Result() }

func lookupAsync(n int) *countdown { return &countdown{n: n} }

type store struct{ base int }

func (s *store) get(n int) (int, string) { return rt.Await(s.getAsync(n)).Result() }

func (s *store) getAsync(n int) *countdown { return &countdown{n: s.base + n} }

//cogen:async
func work() {
	fmt.Println(rt.Await(&countdown{n: 2}).Result())
	rt.Await(&countdown{n: step(1)})
	rt.Await(rt.YieldAsync())
	c := rt.Await(makeCountdown(3))
	fmt.Println(c.polls)
	n, s := lookup(step(4))
	fmt.Println(n, s)
	fmt.Println(lookup(0))
	st := &store{5}
	fmt.Println(st.get(step(1)))
	fmt.Println(text(lookup(2)))
	for i := range 3 {
		if n, _ := lookup(i); n > 2 {
			fmt.Println("polls", n)
		}
	}
	defer fmt.Println(rt.Await(&countdown{n: 1}).Result())
	rt.Await(&countdown{})
	plain()
	var future rt.Future = &countdown{n: 2}
	rt.Await(future)
	fmt.Println(future.(*countdown).polls)
	x := rt.Await(&countdown{n: 1}).polls + rt.Await(&countdown{n: 2}).polls
	fmt.Println(x)
	rt.Sleep(time.Microsecond)
	rt.Sleep(0)
	rt.Blocking(func() { fmt.Println("off the worker") })
}

func makeCountdown(n int) *countdown { return &countdown{n: n} }

func plain() { fmt.Println(rt.Await(&countdown{n: 1}).Result()) }

//cogen:async
func text(n int, s string) string { step(n); return fmt.Sprint(n, s) }

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
