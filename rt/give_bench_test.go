package rt

import (
	"fmt"
	"testing"
)

// A computing frame does n steps of some 1 ns.
type computing struct {
	n    int
	hash uint64
}

func (f *computing) Poll(*Context) bool {
	for i := range f.n {
		f.hash = (f.hash ^ uint64(i)) * 1099511628211
	}
	return true
}

// A task starts others that compute, and waits for them, on two workers: with the
// worker giving tasks to the other one, and without.
func BenchmarkForkJoin(b *testing.B) {
	for _, steps := range []int{0, 10_000, 100_000, 1_000_000} {
		for _, alone := range []bool{false, true} {
			name := "giving"
			if alone {
				name = "shared-nothing"
			}
			b.Run(fmt.Sprintf("steps=%d/%s", steps, name), func(b *testing.B) {
				r, err := New(Config{Workers: 2, SharedNothing: alone, HandOff: testHandOff})
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close()
				for b.Loop() {
					r.Run(&spawner{n: 200, make: func() Future { return &computing{n: steps} }})
				}
				var given uint64
				for _, w := range r.Stats().Workers {
					given += w.Given
				}
				b.ReportMetric(float64(given)/float64(b.N), "given/op")
			})
		}
	}
}
