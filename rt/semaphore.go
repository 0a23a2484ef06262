package rt

import "fmt"

// A Semaphore has a number of permits, which one acquires, any number at a time, and
// releases. It is fair: who wants many is not passed by those who want few. It must
// not be copied.
type Semaphore struct {
	p    permits
	size int64
}

// NewSemaphore returns a semaphore with size permits.
func NewSemaphore(size int64) *Semaphore {
	if size < 0 {
		panic("rt: semaphore of negative size")
	}
	return &Semaphore{size: size}
}

// Acquire takes n permits, waiting until they are there. It panics if there can
// never be so many.
func (s *Semaphore) Acquire(n int64) {
	s.check(n)
	s.p.take(s, n, s.size)
}

// TryAcquire takes n permits if they are there and nobody waits, and reports
// whether it has.
func (s *Semaphore) TryAcquire(n int64) bool { return n >= 0 && s.p.tryTake(n, s.size) }

// Release gives n permits back. It panics if fewer are taken. Anybody may do it.
func (s *Semaphore) Release(n int64) {
	if n < 0 || !s.p.put(n, s.size) {
		panic(fmt.Sprintf("rt: release of %d permits of a semaphore of which fewer are taken", n))
	}
}

func (s *Semaphore) check(n int64) {
	if n < 0 || n > s.size {
		panic(fmt.Sprintf("rt: acquire of %d permits of a semaphore that has %d", n, s.size))
	}
}

func (s *Semaphore) withdraw(e *waitEntry) bool { return s.p.leave(e, s.size) }
func (s *Semaphore) giveBack(e *waitEntry)      { s.Release(e.weight) }

// AcquireAsync is the companion of [Semaphore.Acquire].
func (s *Semaphore) AcquireAsync(n int64) *AcquireFuture {
	f := new(AcquireFuture)
	f.Init(s, n)
	return f
}

// An AcquireFuture is a [Semaphore.Acquire] in progress.
type AcquireFuture struct {
	leaf
	s *Semaphore
	n int64
}

// Init prepares f to acquire n permits of s.
func (f *AcquireFuture) Init(s *Semaphore, n int64) {
	s.check(n)
	f.s, f.n = s, n
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *AcquireFuture) Poll(cx *Context) bool { return f.s.p.poll(cx, &f.leaf, f.n, f.s.size) }

// Result has nothing to tell; it is there for generated code.
func (f *AcquireFuture) Result() {}

// Cancel implements [Canceler]. If f was given up, it has no permits.
func (f *AcquireFuture) Cancel(*Context) { f.cancel(f.s) }
