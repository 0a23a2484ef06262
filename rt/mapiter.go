package rt

import "reflect"

// A MapIter walks a map like a range statement does, over any number of
// suspensions. Generated code uses it.
type MapIter[K comparable, V any] struct {
	it    *reflect.MapIter
	key   K
	value V
}

// RangeMap returns an iterator over m, which may be nil. Package reflect's
// iterator is the runtime's own, so entries that are added, changed or removed
// during the iteration are produced or left out as in a range statement.
func RangeMap[M ~map[K]V, K comparable, V any](m M) *MapIter[K, V] {
	return &MapIter[K, V]{it: reflect.ValueOf(m).MapRange()}
}

// Next goes to the next entry and reports whether there is one.
func (m *MapIter[K, V]) Next() bool {
	if !m.it.Next() {
		return false
	}
	// Set goes through the static types, so a nil key of interface type is
	// no special case.
	reflect.ValueOf(&m.key).Elem().SetIterKey(m.it)
	reflect.ValueOf(&m.value).Elem().SetIterValue(m.it)
	return true
}

// Key returns the key of the present entry.
func (m *MapIter[K, V]) Key() K { return m.key }

// Value returns the value that the present entry had when Next went to it.
func (m *MapIter[K, V]) Value() V { return m.value }
