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
func MutexLockAsync(m *sync.Mutex) *GoLockFuture[*sync.Mutex] {
	return &GoLockFuture[*sync.Mutex]{lock: m}
}

// RWMutexLockAsync is the companion of (*sync.RWMutex).Lock.
func RWMutexLockAsync(m *sync.RWMutex) *GoLockFuture[*sync.RWMutex] {
	return &GoLockFuture[*sync.RWMutex]{lock: m}
}

// A GoLockFuture locks a lock of package sync.
type GoLockFuture[L goLock] struct {
	offload
	lock L
}

type goLock interface {
	Lock()
	TryLock() bool
}

// Init prepares f to lock l.
func (f *GoLockFuture[L]) Init(l L) { *f = GoLockFuture[L]{lock: l} }

// Poll implements [Future].
func (f *GoLockFuture[L]) Poll(cx *Context) bool { return f.poll(cx, f, f.lock.TryLock) }

func (f *GoLockFuture[L]) work() { f.lock.Lock() }

// Result has nothing to tell; it is there for generated code.
func (f *GoLockFuture[L]) Result() {}

// RWMutexRLockAsync is the companion of (*sync.RWMutex).RLock.
func RWMutexRLockAsync(m *sync.RWMutex) *GoRLockFuture { return &GoRLockFuture{lock: m} }

// A GoRLockFuture locks a [sync.RWMutex] for reading.
type GoRLockFuture struct {
	offload
	lock *sync.RWMutex
}

// Init prepares f to lock l for reading.
func (f *GoRLockFuture) Init(l *sync.RWMutex) { *f = GoRLockFuture{lock: l} }

// Poll implements [Future].
func (f *GoRLockFuture) Poll(cx *Context) bool { return f.poll(cx, f, f.lock.TryRLock) }

func (f *GoRLockFuture) work() { f.lock.RLock() }

// Result has nothing to tell; it is there for generated code.
func (f *GoRLockFuture) Result() {}

// WaitGroupWaitAsync is the companion of (*sync.WaitGroup).Wait. A wait group
// cannot be asked, so each wait for it takes a goroutine for a moment.
func WaitGroupWaitAsync(g *sync.WaitGroup) *GoWaitFuture[*sync.WaitGroup] {
	return &GoWaitFuture[*sync.WaitGroup]{on: g}
}

// CondWaitAsync is the companion of (*sync.Cond).Wait. The wait takes a goroutine,
// which unlocks c.L and locks it again.
func CondWaitAsync(c *sync.Cond) *GoWaitFuture[*sync.Cond] {
	return &GoWaitFuture[*sync.Cond]{on: c}
}

// A GoWaitFuture waits for what has a method Wait in package sync.
type GoWaitFuture[W interface{ Wait() }] struct {
	offload
	on W
}

// Init prepares f to wait for w.
func (f *GoWaitFuture[W]) Init(w W) { *f = GoWaitFuture[W]{on: w} }

// Poll implements [Future].
func (f *GoWaitFuture[W]) Poll(cx *Context) bool { return f.poll(cx, f, nil) }

func (f *GoWaitFuture[W]) work() { f.on.Wait() }

// Result has nothing to tell; it is there for generated code.
func (f *GoWaitFuture[W]) Result() {}
