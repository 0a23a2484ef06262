package blocking

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// calling returns an operation that calls f.
func calling(f func()) *driver.Op {
	return &driver.Op{Code: driver.Call, File: &driver.FileArgs{Func: f}}
}

// newBox returns a Box on a pool, and what is sent to when it is woken.
func newBox(limit int) (*Box, chan struct{}) {
	woken := make(chan struct{}, 1000)
	b := new(Box)
	b.Init(NewPool(limit), func() { woken <- struct{}{} })
	return b, woken
}

// collect takes n operations out of b.
func collect(b *Box, woken chan struct{}, n int) (ops []*driver.Op) {
	for len(ops) < n {
		<-woken
		for op := b.Take(); op != nil; op = op.Next {
			ops = append(ops, op)
		}
	}
	return ops
}

func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what was waited for did not come about")
		}
	}
}

func TestLimit(t *testing.T) {
	const limit, count = 3, 100
	b, woken := newBox(limit)
	defer b.pool.Close()
	var running, most atomic.Int32
	for range count {
		b.Start(calling(func() {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			runtime.Gosched()
			running.Add(-1)
		}))
	}
	if n := b.InFlight(); n != count {
		t.Errorf("%d in flight, want %d", n, count)
	}
	collect(b, woken, count)
	if n := most.Load(); n > limit {
		t.Errorf("%d ran at once, the limit is %d", n, limit)
	}
	if n := b.InFlight(); n != 0 {
		t.Errorf("%d in flight after all have ended", n)
	}
}

// TestOrderAndCancel has one porter, which is busy, and a queue behind it.
func TestOrderAndCancel(t *testing.T) {
	b, woken := newBox(1)
	defer b.pool.Close()
	gate, began := make(chan struct{}), make(chan struct{})
	first := calling(func() { close(began); <-gate })
	b.Start(first)
	<-began
	var got []int // only the porter appends
	ops := make([]*driver.Op, 10)
	for i := range ops {
		ops[i] = calling(func() { got = append(got, i) })
		b.Start(ops[i])
	}
	for _, i := range []int{0, 4, 9} {
		if !b.Cancel(ops[i]) {
			t.Errorf("operation %d, which is in the queue, cannot be cancelled", i)
		}
		if b.Cancel(ops[i]) {
			t.Errorf("operation %d was cancelled twice", i)
		}
	}
	if b.Cancel(first) {
		t.Error("an operation that runs was cancelled")
	}
	b.Start(ops[4]) // its entry is used again
	close(gate)
	collect(b, woken, 9)
	if want := []int{1, 2, 3, 5, 6, 7, 8, 4}; !slices.Equal(got, want) {
		t.Errorf("carried out %v, want %v", got, want)
	}
	if b.Cancel(ops[1]) {
		t.Error("an operation that has ended was cancelled")
	}
}

// TestCancelAll calls back the operations of one of two boxes of a pool.
func TestCancelAll(t *testing.T) {
	b, woken := newBox(1)
	defer b.pool.Close()
	other := new(Box)
	other.Init(b.pool, func() { woken <- struct{}{} })
	gate, began := make(chan struct{}), make(chan struct{})
	b.Start(calling(func() { close(began); <-gate }))
	<-began
	done := false
	for range 5 {
		b.Start(calling(func() { t.Error("a cancelled operation was carried out") }))
	}
	other.Start(calling(func() { done = true }))
	cancelled := 0
	b.CancelAll(func(*driver.Op) { cancelled++ })
	if cancelled != 5 || b.InFlight() != 1 || other.InFlight() != 1 {
		t.Errorf("%d cancelled, %d and %d in flight", cancelled, b.InFlight(), other.InFlight())
	}
	close(gate)
	collect(b, woken, 1)
	collect(other, woken, 1)
	if !done {
		t.Error("the other box's operation was not carried out")
	}
}

// TestGoroutinesEnd checks that a pool starts no more goroutines than it needs, and
// that those end when it is closed, and with what was started later.
func TestGoroutinesEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	b, woken := newBox(10)
	for range 50 { // one at a time
		b.Start(calling(func() {}))
		collect(b, woken, 1)
		waitFor(t, func() bool { return b.pool.Idle() == 1 })
	}
	var all sync.WaitGroup
	all.Add(10)
	for range 10 { // all at once
		b.Start(calling(func() { all.Done(); all.Wait() }))
	}
	collect(b, woken, 10)
	waitFor(t, func() bool { return b.pool.Idle() == 10 })
	b.pool.Close()
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
	for range 20 {
		b.Start(calling(func() {}))
	}
	collect(b, woken, 20)
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
}

func TestAwait(t *testing.T) {
	b, _ := newBox(2)
	defer b.pool.Close()
	b.Await() // nothing is in flight
	for range 3 {
		b.Start(calling(func() { time.Sleep(time.Millisecond) }))
	}
	for n := 0; n < 3; {
		b.Await()
		op := b.Take()
		if op == nil {
			t.Fatal("nothing has ended after Await")
		}
		for ; op != nil; op = op.Next {
			n++
		}
	}
}
