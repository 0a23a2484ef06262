// Package structure waits for the runtime's own locks and channels, and puts futures
// together.
package structure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cogen-go/cogen/rt"
)

var errEmpty = errors.New("empty")

//cogen:async
func produce(c *rt.Chan[int], n int) {
	defer c.Close()
	for i := range n {
		c.Send(i)
	}
}

//cogen:async
func sum(c *rt.Chan[int]) (total int) {
	for v, ok := c.Recv(); ok; v, ok = c.Recv() {
		total += v
	}
	return total
}

type counter struct {
	mu   rt.Mutex
	cond *rt.Cond
	n    int
}

//cogen:async
func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.n
	rt.Yield()
	c.n = old + n
	c.cond.Broadcast()
}

//cogen:async
func (c *counter) reach(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.n < n {
		c.cond.Wait()
	}
	return c.n
}

//cogen:async
func patient(d time.Duration) error {
	if err := rt.SleepContext(context.Background(), d); err != nil {
		return fmt.Errorf("patient: %w", err)
	}
	return nil
}

// A call is a future that calls a function.
type call struct {
	f   func() error
	err error
}

func (c *call) Poll(*rt.Context) bool {
	c.err = c.f()
	return true
}

func (c *call) Result() error { return c.err }

func patiently(d time.Duration) *call {
	return &call{f: func() error { return patient(d) }}
}

//cogen:async
func counting() {
	c := &counter{}
	c.cond = rt.NewCond(&c.mu)
	var all rt.WaitGroup
	for i := range 5 {
		all.Add(1)
		go func() {
			defer all.Done()
			c.add(i)
		}()
		go c.add(i)
	}
	fmt.Println(c.reach(20))
	all.Wait()
	c.cond.Signal()
}

type shelf struct {
	rw    rt.RWMutex
	books map[string]int
}

//cogen:async
func (s *shelf) count(name string) int {
	s.rw.RLock()
	defer s.rw.RUnlock()
	rt.Yield()
	return s.books[name]
}

//cogen:async
func (s *shelf) add(name string, done *rt.Event) {
	s.rw.Lock()
	n := s.books[name]
	rt.Yield()
	s.books[name] = n + 1
	s.rw.Unlock()
	done.Set()
}

//cogen:async
func locks() {
	s := &shelf{books: map[string]int{"go": 1}}
	s.rw.RLock()
	var added rt.Event
	go s.add("go", &added)
	fmt.Println(s.books["go"], added.IsSet(), s.rw.TryLock())
	s.rw.RUnlock()
	added.Wait()
	fmt.Println(s.count("go"), s.rw.TryRLock())
	s.rw.RUnlock()

	sem := rt.NewSemaphore(3)
	sem.Acquire(2)
	fmt.Println(sem.TryAcquire(2), sem.TryAcquire(1))
	var order []int
	var all rt.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		sem.Acquire(3)
		order = append(order, 3)
		sem.Release(3)
	}()
	sem.Release(1)
	sem.Release(2)
	all.Wait()
	sem.Acquire(3)
	fmt.Println(order)

	var once rt.Once
	for i := range 2 {
		once.Do(func() { fmt.Println("once", i) })
	}
	m := new(rt.Mutex)
	m.Lock()
	if rt.WithTimeout(time.Millisecond, m.LockAsync()).Canceled() {
		fmt.Println("gave up", m.TryLock())
	}
	m.Unlock()
	f := m.LockAsync()
	fmt.Println(rt.WithTimeout(time.Hour, f).Canceled(), m.TryLock())
}

//cogen:async
func channels() {
	c := rt.NewChan[int](2)
	go produce(c, 10)
	fmt.Println(sum(c))
	v, ok, done := c.TryRecv()
	fmt.Println(v, ok, done)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		c.Send(1)
	}()
	late := rt.NewChan[string](1)
	for range 3 {
		recv, timeout := late.RecvAsync(), rt.SleepAsync(time.Millisecond)
		switch rt.Select(recv, timeout) {
		case 0:
			v, ok := recv.Result()
			fmt.Println("received", v, ok)
		case 1:
			fmt.Println("timeout")
			late.Send("late")
		}
	}
	for v := range late.All() {
		fmt.Println("ranged", v)
		break
	}
	full := rt.NewChan[int](0)
	fmt.Println(rt.Select(full.SendAsync(1), rt.SleepAsync(time.Millisecond)), full.TrySend(1))
}

//cogen:async
func together() {
	c := rt.NewChan[int](0)
	total := 0
	rt.Join(
		&call{f: func() error { produce(c, 5); return nil }},
		&call{f: func() error { total = sum(c); return nil }},
	)
	fmt.Println(total)

	slow, fast := patiently(time.Hour), patiently(time.Microsecond)
	fmt.Println(rt.Race(slow, fast), slow.Result(), fast.Result())

	var g rt.Group
	g.SetLimit(2)
	g.Go(patiently(time.Hour))
	g.GoFunc(func() error { return errEmpty })
	g.GoFunc(func() error { return patient(time.Hour) })
	fmt.Println(g.Wait(), g.Context().Err())
	ctx, cancel := context.WithCancel(context.Background())
	h := rt.NewGroup(ctx)
	h.Go(patiently(time.Hour))
	cancel()
	fmt.Println(h.Wait())
}

//cogen:async
func timeouts() {
	err := rt.WithTimeout(time.Millisecond, patiently(time.Hour)).Result()
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(rt.WithContext(ctx, patiently(time.Hour)).Result())
	fmt.Println(rt.WithTimeout(time.Hour, patiently(0)).Result())
	alarm := rt.After(time.Millisecond)
	alarm.Wait()
	fmt.Println(alarm.IsSet())
	tick := rt.Tick(time.Microsecond)
	first := tick.Wait()
	fmt.Println(tick.Wait().After(first))
}

//cogen:async
func work() {
	counting()
	locks()
	channels()
	together()
	timeouts()
}

// Main is the program.
func Main() { work() }
