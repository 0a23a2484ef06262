package main

import "github.com/cogen-go/cogen/rt"

//go:generate go tool cogen

// turns suspends again and again.
//
//cogen:async
func turns() {
	for {
		turn()
	}
}

// ready calls an async function that does not have to wait, n times.
//
//cogen:async
func ready(n int) (sum int) {
	for i := range n {
		sum += low(i)
	}
	return sum
}

// low would have to wait for a negative number.
//
//cogen:async
func low(i int) int {
	if i < 0 {
		turn()
	}
	return i & 7
}

// readyThrough is ready through an interface.
//
//cogen:async
func readyThrough(l lower, n int) (sum int) {
	for i := range n {
		sum += l.low(i)
	}
	return sum
}

type lower interface{ low(i int) int }

type lowMethod struct{ mask int }

//cogen:async
func (l *lowMethod) low(i int) int {
	if i < 0 {
		turn()
	}
	return i & l.mask
}

// mixEvery is the number of iterations after which mix waits.
const mixEvery = 1000

// mix sums up n numbers, and waits now and then.
//
//cogen:async
func mix(numbers []uint32, n int) (sum uint32) {
	for i := range n {
		sum = sum*31 ^ numbers[i%len(numbers)]
		if i%mixEvery == mixEvery-1 {
			turn()
		}
	}
	return sum
}

// yields gives way to other tasks, n times.
//
//cogen:async
func yields(n int) {
	for range n {
		rt.Yield()
	}
}

// parked is a simple task that waits for ever.
//
//cogen:async
func parked(p *int) {
	hold()
	*p++
}

// batch is how many tasks or goroutines are started before they are waited for.
const batch = 100

// starts starts n tasks, rounded up to whole batches, and waits for each.
//
//cogen:async
func starts(n int) {
	var tasks [batch]rt.Task
	for ; n > 0; n -= batch {
		for i := range tasks {
			tasks[i] = rt.Go(emptyAsync())
		}
		for _, t := range tasks {
			t.Wait()
		}
	}
}

// empty is the shortest task.
//
//cogen:async
func empty() {}

// turn waits for one poll; whoever polls does it again by itself.
func turn() { panic("only in frames") }

func turnAsync() turnFuture { return turnFuture{} }

type turnFuture struct{ polled bool }

func (f *turnFuture) Init() { f.polled = false }

func (f *turnFuture) Poll(*rt.Context) bool {
	polled := f.polled
	f.polled = true
	return polled
}

func (f *turnFuture) Result() {}

// hold waits for ever.
func hold() { select {} }

func holdAsync() holdFuture { return holdFuture{} }

type holdFuture struct{}

func (*holdFuture) Poll(*rt.Context) bool { return false }

func (*holdFuture) Result() {}
