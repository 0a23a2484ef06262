package rt

import "sync"

// Locking the mutexes of package sync, and waiting for its wait groups, in async
// functions. What cannot be had at once is waited for by another goroutine; a
// sync.Mutex does not mind who locked it. The plain forms are the methods of
// package sync.

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
	if f.begun() {
		return f.ended()
	}
	if !cx.proceed() {
		return false
	}
	if f.m.TryLock() {
		return true
	}
	f.begin(cx, f)
	return false
}

func (f *MutexLockFuture) work() { f.m.Lock() }

// Result has nothing to tell; it is there for generated code.
func (f *MutexLockFuture) Result() {}

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
	if f.begun() {
		return f.ended()
	}
	f.begin(cx, f)
	return false
}

func (f *WaitGroupWaitFuture) work() { f.g.Wait() }

// Result has nothing to tell; it is there for generated code.
func (f *WaitGroupWaitFuture) Result() {}
