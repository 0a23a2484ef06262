// Package syncandsleep mutexes, wait groups and sleeps of the standard library.
package syncandsleep

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cogen-go/cogen/rt"
)

type account struct {
	mu      sync.Mutex
	balance int
}

//cogen:async
func (a *account) deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.balance
	rt.Yield()
	time.Sleep(time.Microsecond)
	a.balance = old + n
}

//cogen:async
func work() {
	var a account
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.deposit(i)
		}()
	}
	wg.Wait()
	fmt.Println(a.balance)

	var embedded struct {
		sync.Mutex
		n int
	}
	embedded.Lock()
	wg.Add(1)
	go func() {
		defer wg.Done()
		embedded.Lock()
		embedded.n *= 10
		embedded.Unlock()
	}()
	rt.Yield()
	embedded.n = 5
	embedded.Unlock()
	wg.Wait()
	fmt.Println(embedded.n)

	start := time.Now()
	time.Sleep(2 * time.Millisecond)
	rt.Sleep(2 * time.Millisecond)
	fmt.Println(time.Since(start) >= 4*time.Millisecond)
	fmt.Println(step(1))
	func() {
		defer func() { fmt.Println(recover()) }()
		negative(&wg)
	}()
	once()
	readers()
	conditions()
	spin()
}

//cogen:async
func readers() {
	var state struct {
		sync.RWMutex
		n int
	}
	var wg sync.WaitGroup
	state.RLock()
	state.RLock()
	for range 3 {
		wg.Go(func() {
			state.Lock()
			defer state.Unlock()
			n := state.n
			rt.Yield()
			state.n = n + 1
		})
	}
	fmt.Println(state.n)
	state.RUnlock()
	state.RUnlock()
	wg.Wait()
	state.RLock()
	fmt.Println(state.n)
	state.RUnlock()
	func() {
		defer func() { fmt.Println(recover()) }()
		var none *sync.RWMutex
		lockFor(none)
	}()
}

//cogen:async
func lockFor(mu *sync.RWMutex) {
	mu.Lock()
}

//cogen:async
func conditions() {
	var mu sync.Mutex
	ready := sync.NewCond(&mu)
	n := 0
	go count(&mu, ready, &n)
	mu.Lock()
	for n < 3 {
		ready.Wait()
	}
	fmt.Println("counted", n, mu.TryLock())
	mu.Unlock()
}

//cogen:async
func count(mu *sync.Mutex, ready *sync.Cond, n *int) {
	for range 3 {
		mu.Lock()
		*n++
		mu.Unlock()
		ready.Broadcast()
		rt.Yield()
	}
}

// spin waits for another task without blocking.
//
//cogen:async
func spin() {
	var done atomic.Bool
	go set(&done)
	for !done.Load() {
		runtime.Gosched()
	}
	fmt.Println("set")
}

//cogen:async
func set(done *atomic.Bool) {
	rt.Yield()
	done.Store(true)
}

//cogen:async
func negative(wg *sync.WaitGroup) {
	defer wg.Wait()
	rt.Yield()
	panic("while waiting")
}

//cogen:async
func once() {
	var o sync.Once
	for range 2 {
		o.Do(func() { fmt.Println("once", step(2)) })
	}
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
