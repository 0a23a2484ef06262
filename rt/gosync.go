package rt

import (
	"sync"
	"time"
)

// Companions for what blocks in packages sync, time and runtime, so that it does not
// hold up the worker in async functions. What cannot be had at once is waited for by
// another goroutine; the locks of package sync do not mind who locked them.
// cogen knows these companions by their names: F of package p has PFAsync here,
// the method M of a type T has TMAsync. Another package can declare more in the
// same way for what it wraps, see docs/transform.md.

// TimeSleepAsync is the companion of [time.Sleep].
func TimeSleepAsync(d time.Duration) *SleepFuture { return SleepAsync(d) }

// RuntimeGoschedAsync is the companion of [runtime.Gosched]: it lets other tasks run
// as well.
func RuntimeGoschedAsync() *YieldFuture { return YieldAsync() }

// MutexLockAsync is the companion of (*sync.Mutex).Lock.
func MutexLockAsync(m *sync.Mutex) *MutexLockFuture { return &MutexLockFuture{m: m} }

// A MutexLockFuture locks a mutex.
type MutexLockFuture struct {
	offload
	m *sync.Mutex
}

// Init prepares f to lock m.
func (f *MutexLockFuture) Init(m *sync.Mutex) { *f = MutexLockFuture{m: m} }

// Poll implements [Future].
func (f *MutexLockFuture) Poll(cx *Context) bool {
	return f.poll(cx, f, f.m.TryLock)
}

func (f *MutexLockFuture) work() { f.m.Lock() }

// Result has nothing to tell; it is there for generated code.
func (f *MutexLockFuture) Result() {}

// RWMutexLockAsync is the companion of (*sync.RWMutex).Lock.
func RWMutexLockAsync(m *sync.RWMutex) *RWMutexLockFuture { return &RWMutexLockFuture{m: m} }

// A RWMutexLockFuture locks a mutex for writing.
type RWMutexLockFuture struct {
	offload
	m *sync.RWMutex
}

// Init prepares f to lock m.
func (f *RWMutexLockFuture) Init(m *sync.RWMutex) { *f = RWMutexLockFuture{m: m} }

// Poll implements [Future].
func (f *RWMutexLockFuture) Poll(cx *Context) bool {
	return f.poll(cx, f, f.m.TryLock)
}

func (f *RWMutexLockFuture) work() { f.m.Lock() }

// Result has nothing to tell; it is there for generated code.
func (f *RWMutexLockFuture) Result() {}

// RWMutexRLockAsync is the companion of (*sync.RWMutex).RLock.
func RWMutexRLockAsync(m *sync.RWMutex) *RWMutexRLockFuture { return &RWMutexRLockFuture{m: m} }

// A RWMutexRLockFuture locks a mutex for reading.
type RWMutexRLockFuture struct {
	offload
	m *sync.RWMutex
}

// Init prepares f to lock m for reading.
func (f *RWMutexRLockFuture) Init(m *sync.RWMutex) { *f = RWMutexRLockFuture{m: m} }

// Poll implements [Future].
func (f *RWMutexRLockFuture) Poll(cx *Context) bool {
	return f.poll(cx, f, f.m.TryRLock)
}

func (f *RWMutexRLockFuture) work() { f.m.RLock() }

// Result has nothing to tell; it is there for generated code.
func (f *RWMutexRLockFuture) Result() {}

// WaitGroupWaitAsync is the companion of (*sync.WaitGroup).Wait. A wait group
// cannot be asked, so each wait for it takes a goroutine for a moment.
func WaitGroupWaitAsync(g *sync.WaitGroup) *WaitGroupWaitFuture {
	return &WaitGroupWaitFuture{g: g}
}

// A WaitGroupWaitFuture waits for a wait group.
type WaitGroupWaitFuture struct {
	offload
	g *sync.WaitGroup
}

// Init prepares f to wait for g.
func (f *WaitGroupWaitFuture) Init(g *sync.WaitGroup) { *f = WaitGroupWaitFuture{g: g} }

// Poll implements [Future].
func (f *WaitGroupWaitFuture) Poll(cx *Context) bool {
	return f.poll(cx, f, nil)
}

func (f *WaitGroupWaitFuture) work() { f.g.Wait() }

// Result has nothing to tell; it is there for generated code.
func (f *WaitGroupWaitFuture) Result() {}

// CondWaitAsync is the companion of (*sync.Cond).Wait. The wait takes a goroutine,
// which unlocks c.L and locks it again.
func CondWaitAsync(c *sync.Cond) *CondWaitFuture { return &CondWaitFuture{c: c} }

// A CondWaitFuture waits for a condition variable.
type CondWaitFuture struct {
	offload
	c *sync.Cond
}

// Init prepares f to wait for c, whose lock is held.
func (f *CondWaitFuture) Init(c *sync.Cond) { *f = CondWaitFuture{c: c} }

// Poll implements [Future].
func (f *CondWaitFuture) Poll(cx *Context) bool {
	return f.poll(cx, f, nil)
}

func (f *CondWaitFuture) work() { f.c.Wait() }

// Result has nothing to tell; it is there for generated code.
func (f *CondWaitFuture) Result() {}
