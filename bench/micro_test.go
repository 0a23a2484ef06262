package main

import "testing"

func Benchmark(b *testing.B) {
	for _, m := range micros {
		b.Run(m.group+"/"+m.name, func(b *testing.B) {
			b.ReportAllocs()
			m.run(b)
		})
	}
}
