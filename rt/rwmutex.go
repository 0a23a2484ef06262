package rt

// A RWMutex is a [Mutex] that any number of readers can have at a time, or one
// writer. Readers and writers are served in the order they came: readers do not
// pass a writer that waits. The zero RWMutex is unlocked. It must not be copied
// after first use.
type RWMutex struct{ p permits }

// rwPermits is how many readers there may be; a writer takes all.
const rwPermits = 1 << 30

// Lock locks m for writing.
func (m *RWMutex) Lock() { m.p.take((*rwWriter)(m), rwPermits, rwPermits) }

// TryLock locks m for writing if it is free, and reports whether it has.
func (m *RWMutex) TryLock() bool { return m.p.tryTake(rwPermits, rwPermits) }

// Unlock ends the writing. It panics if m is not locked for it.
func (m *RWMutex) Unlock() {
	if !m.p.put(rwPermits, rwPermits) {
		panic("rt: unlock of unlocked RWMutex")
	}
}

// RLock locks m for reading. A reader must not lock it again: with a writer waiting
// between, it would wait for itself.
func (m *RWMutex) RLock() { m.p.take((*rwReader)(m), 1, rwPermits) }

// TryRLock locks m for reading if no writer has it or waits for it, and reports
// whether it has.
func (m *RWMutex) TryRLock() bool { return m.p.tryTake(1, rwPermits) }

// RUnlock ends a reading. It panics if m is not locked for one.
func (m *RWMutex) RUnlock() {
	// All permits are taken by a writer and never by readers.
	if m.p.word.Load()>>1 == rwPermits || !m.p.put(1, rwPermits) {
		panic("rt: read-unlock of RWMutex that is not read-locked")
	}
}

// An rwWriter and an rwReader are the mutex as the two kinds that wait for it see it.
type (
	rwWriter RWMutex
	rwReader RWMutex
)

func (m *rwWriter) withdraw(e *waitEntry) bool { return m.p.leave(e, rwPermits) }
func (m *rwWriter) giveBack(*waitEntry)        { (*RWMutex)(m).Unlock() }
func (m *rwReader) withdraw(e *waitEntry) bool { return m.p.leave(e, rwPermits) }
func (m *rwReader) giveBack(*waitEntry)        { (*RWMutex)(m).RUnlock() }

// LockAsync is the companion of [RWMutex.Lock].
func (m *RWMutex) LockAsync() *WLockFuture { return &WLockFuture{m: m} }

// A WLockFuture is a [RWMutex.Lock] in progress.
type WLockFuture struct {
	leaf
	m *RWMutex
}

// Init prepares f to lock m.
func (f *WLockFuture) Init(m *RWMutex) {
	f.m = m
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *WLockFuture) Poll(cx *Context) bool {
	return f.m.p.poll(cx, &f.leaf, rwPermits, rwPermits)
}

// Result has nothing to tell; it is there for generated code.
func (f *WLockFuture) Result() {}

// Cancel implements [Canceler]. If f was given up, m is not locked for it.
func (f *WLockFuture) Cancel(*Context) { f.cancel((*rwWriter)(f.m)) }

// RLockAsync is the companion of [RWMutex.RLock].
func (m *RWMutex) RLockAsync() *RLockFuture { return &RLockFuture{m: m} }

// An RLockFuture is a [RWMutex.RLock] in progress.
type RLockFuture struct {
	leaf
	m *RWMutex
}

// Init prepares f to lock m.
func (f *RLockFuture) Init(m *RWMutex) {
	f.m = m
	f.phase = waitIdle
}

// Poll implements [Future].
func (f *RLockFuture) Poll(cx *Context) bool { return f.m.p.poll(cx, &f.leaf, 1, rwPermits) }

// Result has nothing to tell; it is there for generated code.
func (f *RLockFuture) Result() {}

// Cancel implements [Canceler]. If f was given up, m is not locked for it.
func (f *RLockFuture) Cancel(*Context) { f.cancel((*rwReader)(f.m)) }
