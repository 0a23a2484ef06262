//go:build amd64 || arm64

package stackful

import "testing"

func TestFindingTheRunnerDoesNotAllocate(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		r := New(nil, func() {
			if n := testing.AllocsPerRun(1000, func() { Current() }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
		r.Resume()
	})
}
