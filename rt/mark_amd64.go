//go:build amd64 && !race

package rt

import "sync/atomic"

// A mark is a word that one thread sets and others get. Whoever has got a value
// sees everything that came before it was set.
//
// Setting is an ordinary store, a fraction of the cost of an atomic one: on this
// architecture stores become visible in their order, which is all that is asked
// of it. What an atomic store does besides is to be seen before any later load
// of the same thread is made. Who relies on that calls [fence] on the other
// side.
type mark struct{ v uint64 }

func (m *mark) set(v uint64) { m.v = v }
func (m *mark) get() uint64  { return atomic.LoadUint64(&m.v) }

// fence orders marks that other threads set: each of these threads either has
// made everything visible that it set before some point in its program, or
// makes no load that comes after that point until fence returns.
func fence() { fenceThreads() }
