//go:build amd64 || arm64

package stackful

import "testing"

func TestFindingTheRunnerDoesNotAllocate(t *testing.T) {
	home(t, func() {
		r := New(nil, func() {
			if n := testing.AllocsPerRun(1000, func() { Current() }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
		r.Resume()
	})
}
