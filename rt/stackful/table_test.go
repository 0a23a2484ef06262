package stackful

import (
	"math/rand/v2"
	"testing"
)

// A table does what a map does, whatever the order of adding and removing.
func TestTableIsAMap(t *testing.T) {
	var tab table
	want := map[uintptr]*home{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		// Addresses of g's have the low bits in common.
		key := uintptr(rng.IntN(300)+1) << 7
		if r, ok := want[key]; ok {
			if tab.find(key) != r {
				t.Fatalf("step %d: %#x finds %p, want %p", i, key, tab.find(key), r)
			}
			tab.remove(key)
			delete(want, key)
		} else {
			if r := tab.find(key); r != nil {
				t.Fatalf("step %d: %#x, which is not there, finds %p", i, key, r)
			}
			want[key] = new(home)
			tab.add(key, want[key])
		}
		if tab.live != len(want) {
			t.Fatalf("step %d: %d live, want %d", i, tab.live, len(want))
		}
	}
	for key, r := range want {
		if tab.find(key) != r {
			t.Errorf("at the end %#x finds %p, want %p", key, tab.find(key), r)
		}
	}
	// Removing leaves no more garbage than room.
	if n := len(*tab.array.Load()); n > 4096 {
		t.Errorf("the array has %d entries for %d", n, len(want))
	}
}
