package stackful

import (
	"sync"
	"sync/atomic"
)

// runners finds the home of a goroutine, and so the runner.
var runners table

// A table maps the identities of goroutines to their homes. Finding takes no
// lock and writes nothing; adding and removing, which happen once in the life
// of a runner, do.
//
// A goroutine only ever looks for itself, and its entry is added and removed by
// itself. So a reader cannot race with the writer of the entry it wants; it
// only has to survive what others do meanwhile, which is why an entry never
// moves within an array (removal leaves a gap marker) and why growing makes a
// new array and leaves the old one as it was.
type table struct {
	array atomic.Pointer[[]entry]

	mu   sync.Mutex
	live int // entries in use
	used int // entries in use or removed
}

type entry struct {
	key  atomic.Uintptr // identity, or one of the two below
	home atomic.Pointer[home]
}

const (
	vacant  uintptr = 0 // ends a search
	removed uintptr = 1 // does not
)

// slot returns where the search for key begins in an array of n entries, n being
// a power of two. The multiplier is 2^64 divided by the golden ratio, which
// spreads addresses that differ by a constant stride.
func slot(key uintptr, n int) int {
	return int(uint64(key)*0x9e3779b97f4a7c15>>32) & (n - 1)
}

func (t *table) find(key uintptr) *home {
	p := t.array.Load()
	if p == nil {
		return nil
	}
	array := *p
	for i := slot(key, len(array)); ; i++ {
		e := &array[i&(len(array)-1)]
		switch e.key.Load() {
		case key:
			return e.home.Load()
		case vacant:
			return nil
		}
	}
}

func (t *table) add(key uintptr, h *home) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.array.Load()
	// At least half of the array stays vacant, so that searches that fail,
	// those of ordinary goroutines, end soon.
	if p == nil || 2*(t.used+1) > len(*p) {
		p = t.grow(p)
	}
	array := *p
	for i := slot(key, len(array)); ; i++ {
		e := &array[i&(len(array)-1)]
		k := e.key.Load()
		if k != vacant && k != removed {
			continue
		}
		if k == vacant {
			t.used++
		}
		t.live++
		e.home.Store(h)
		e.key.Store(key)
		return
	}
}

// grow publishes a copy of the array with room for twice what is in use, and
// returns it.
func (t *table) grow(old *[]entry) *[]entry {
	n := 64
	for n < 4*(t.live+1) {
		n *= 2
	}
	array := make([]entry, n)
	if old != nil {
		for i := range *old {
			e := &(*old)[i]
			key := e.key.Load()
			if key == vacant || key == removed {
				continue
			}
			j := slot(key, n)
			for array[j].key.Load() != vacant {
				j = (j + 1) & (n - 1)
			}
			array[j].home.Store(e.home.Load())
			array[j].key.Store(key)
		}
	}
	t.used = t.live
	t.array.Store(&array)
	return &array
}

// set changes the home of key, which is in the table and whose goroutine does
// not run.
func (t *table) set(key uintptr, h *home) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entry(key).home.Store(h)
}

// entry returns the entry of key, nil if it has none. It is called with mu held.
func (t *table) entry(key uintptr) *entry {
	array := *t.array.Load()
	for i := slot(key, len(array)); ; i++ {
		e := &array[i&(len(array)-1)]
		switch e.key.Load() {
		case key:
			return e
		case vacant:
			return nil
		}
	}
}

func (t *table) remove(key uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entry(key); e != nil {
		e.key.Store(removed)
		e.home.Store(nil)
		t.live--
	}
}
