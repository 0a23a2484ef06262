package main

import (
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/cogen-go/cogen/rt"
)

// A micro is a benchmark of one operation. Those of a group do the same thing in
// different ways; the first is cogen's.
type micro struct {
	group, name string
	run         func(*testing.B)
}

var micros = []micro{
	{"suspend and resume", "frame", benchFrame},
	{"suspend and resume", "iter.Pull", benchPull},
	{"suspend and resume", "channel round trip", benchChannel},
	{"give way to another", "task (rt.Yield)", benchYield},
	{"give way to another", "goroutine (runtime.Gosched)", benchGosched},
	{"call something that need not wait", "async function", benchReady},
	{"call something that need not wait", "function", benchCall},
	{"call something through an interface", "async method", benchReadyThrough},
	{"call something through an interface", "method", benchCallThrough},
	{"a turn of a loop that waits every 1,000", "async function", benchMix},
	{"a turn of a loop that waits every 1,000", "function that calls another", benchPlainMix},
	{"start and finish", "task", benchTask},
	{"start and finish", "goroutine and WaitGroup", benchGoroutine},
}

// inTask runs f in a task, for benchmarks that poll by hand.
type inTask struct{ f func(*rt.Context) }

func (t *inTask) Poll(cx *rt.Context) bool { t.f(cx); return true }
func (t *inTask) Result()                  {}

func benchFrame(b *testing.B) {
	rt.Run(&inTask{func(cx *rt.Context) {
		f := turnsAsync()
		for b.Loop() {
			if f.Poll(cx) {
				panic("it has no end")
			}
		}
	}})
}

func benchPull(b *testing.B) {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		for yield(struct{}{}) {
		}
	})
	defer stop()
	for b.Loop() {
		next()
	}
}

func benchChannel(b *testing.B) {
	there, back := make(chan struct{}), make(chan struct{})
	go func() {
		for range there {
			back <- struct{}{}
		}
	}()
	defer close(there)
	for b.Loop() {
		there <- struct{}{}
		<-back
	}
}

func benchYield(b *testing.B) { rt.Run(yieldsAsync(b.N)) }

func benchGosched(b *testing.B) {
	for b.Loop() {
		runtime.Gosched()
	}
}

var sink int

func benchReady(b *testing.B) {
	sink = rt.Run(readyAsync(b.N)).Result()
}

func benchCall(b *testing.B) {
	sum := 0
	for i := range b.N {
		sum += plainLow(i)
	}
	sink = sum
}

func benchReadyThrough(b *testing.B) {
	sink = rt.Run(readyThroughAsync(&lowMethod{7}, b.N)).Result()
}

func benchCallThrough(b *testing.B) {
	sink = plainThrough(&plainMethod{7}, b.N)
}

// plainThrough is readyThrough without its await point.
//
//go:noinline
func plainThrough(l lower, n int) (sum int) {
	for i := range n {
		sum += l.low(i)
	}
	return sum
}

type plainMethod struct{ mask int }

//go:noinline
func (l *plainMethod) low(i int) int {
	if i < 0 {
		i = -i
	}
	return i & l.mask
}

// plainLow is low without its await point. It is not inlined: a call is compared
// with a call.
//
//go:noinline
func plainLow(i int) int {
	if i < 0 {
		i = -i
	}
	return i & 7
}

var numbers = make([]uint32, 1000)

func benchMix(b *testing.B) {
	rt.Run(&inTask{func(cx *rt.Context) {
		f := mixAsync(numbers, b.N)
		for !f.Poll(cx) {
		}
		sink = int(f.Result())
	}})
}

func benchPlainMix(b *testing.B) { sink = int(plainMix(numbers, b.N)) }

// plainMix is mix without its await point.
//
//go:noinline
func plainMix(numbers []uint32, n int) (sum uint32) {
	for i := range n {
		sum = sum*31 ^ numbers[i%len(numbers)]
		if i%mixEvery == mixEvery-1 {
			plainTurn()
		}
	}
	return sum
}

//go:noinline
func plainTurn() {}

func benchTask(b *testing.B) { rt.Run(startsAsync(b.N)) }

func benchGoroutine(b *testing.B) {
	var wg sync.WaitGroup
	for n := 0; n < b.N; n += batch {
		wg.Add(batch)
		for range batch {
			go wg.Done()
		}
		wg.Wait()
	}
}
