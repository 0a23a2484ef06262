package rt

// A Mutex is a lock for tasks and goroutines alike. A task that waits for it does
// not hold up its worker, and may wait for other things, such as a socket, while it
// has it. It is fair: it is handed to whoever has waited longest. The zero
// Mutex is unlocked. A Mutex must not be copied after first use.
//
// A [sync.Mutex] is faster between goroutines that lock it for a moment only,
// because it is not handed over in order; see docs/sync.md.
type Mutex struct{ p permits }

const mutexPermits = 1

// Lock locks m, waiting until it is free.
func (m *Mutex) Lock() { m.p.take(m, 1, mutexPermits) }

// TryLock locks m if it is free, and reports whether it has.
func (m *Mutex) TryLock() bool { return m.p.tryTake(1, mutexPermits) }

// Unlock unlocks m. It panics if m is not locked. Anybody may do it, not only who
// has locked it.
func (m *Mutex) Unlock() {
	if !m.p.put(1, mutexPermits) {
		panic("rt: unlock of unlocked Mutex")
	}
}

func (m *Mutex) withdraw(e *waitEntry) bool { return m.p.leave(e, mutexPermits) }
func (m *Mutex) giveBack(*waitEntry)        { m.Unlock() }

// LockAsync is the companion of [Mutex.Lock].
func (m *Mutex) LockAsync() *LockFuture { return &LockFuture{m: m} }

// A LockFuture is a [Mutex.Lock] in progress.
type LockFuture struct {
	leaf
	m *Mutex
}

// Init prepares f to lock m.
func (f *LockFuture) Init(m *Mutex) {
	f.m = m
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *LockFuture) Poll(cx *Context) bool { return f.m.p.poll(cx, &f.leaf, 1, mutexPermits) }

// Result has nothing to tell; it is there for generated code.
func (f *LockFuture) Result() {}

// Cancel implements [Canceler]. If f was given up, m is not locked for it.
func (f *LockFuture) Cancel(*Context) { f.cancel(f.m) }
