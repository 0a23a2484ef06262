// Package gostatement go statements with async calls.
package gostatement

import (
	"fmt"
	"sync"

	"github.com/cogen-go/cogen/rt"
)

//cogen:async
func work() {
	var wg sync.WaitGroup
	results := make([]int, 4)
	for i := range results {
		wg.Add(1)
		go square(&wg, results, i)
	}
	wait(&wg)
	fmt.Println(results)

	// The operands are evaluated when the statement runs.
	x := 1
	wg.Add(3)
	t := &task{wg: &wg}
	go t.set(x, step(5))
	x = 2
	u := t
	t = nil
	go func() { defer wg.Done(); u.closed = quiet(6) }()
	go generic(&wg, &u.text, "generic")
	wait(&wg)
	fmt.Println(u.a, u.b, u.closed, u.text, x)

	// The results of one call are all the operands.
	wg.Add(3)
	go u.set(pair(7))
	go func(a, b int) { defer wg.Done(); u.closed = quiet(a) - quiet(b) }(pair(8))
	go (&task{wg: &wg}).set(pair(step(9)))
	wait(&wg)
	fmt.Println(u.a, u.b, u.closed)
}

func pair(n int) (int, int) { return n, n + 1 }

// wait waits off the worker, so that the tasks can run.
func wait(wg *sync.WaitGroup) { rt.Blocking(wg.Wait) }

type task struct {
	wg     *sync.WaitGroup
	a, b   int
	closed int
	text   string
}

//cogen:async
func (t *task) set(a, b int) {
	defer t.wg.Done()
	rt.Yield()
	t.a = a
	rt.Yield()
	t.b = b
}

//cogen:async
func square(wg *sync.WaitGroup, results []int, i int) {
	defer wg.Done()
	for range i {
		rt.Yield()
	}
	results[i] = quiet(i) * i
}

//cogen:async
func quiet(n int) int { rt.Yield(); return n }

//cogen:async
func generic[T any](wg *sync.WaitGroup, p *T, v T) {
	defer wg.Done()
	rt.Yield()
	*p = v
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
