//go:build !amd64 || race

package rt

import "sync/atomic"

// A mark is a word that one thread sets and others get. Whoever has got a value
// sees everything that came before it was set.
//
// Where an atomic store is cheap, or must be visible to the race detector, it is
// one.
type mark struct{ v atomic.Uint64 }

func (m *mark) set(v uint64) { m.v.Store(v) }
func (m *mark) get() uint64  { return m.v.Load() }

// fence has nothing to add to the order of atomic operations.
func fence() {}
