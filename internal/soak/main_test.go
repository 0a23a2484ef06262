//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// TestSlice runs some short rounds, of every kind, on each driver. What is wrong ends the
// process.
func TestSlice(t *testing.T) {
	for _, driver := range []string{"uring", "epoll", "portable"} {
		t.Run(driver, func(t *testing.T) {
			r, err := rt.New(rt.Config{Driver: driver, Workers: 1})
			if err != nil {
				t.Skipf("%s does not work here: %v", driver, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			s := soak{driver: driver, rounds: 4, length: 200 * time.Millisecond, clients: 40, workers: 2, seed: 1, out: t.Output()}
			if err := s.run(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestFollows makes sure that wrong bytes are noticed.
func TestFollows(t *testing.T) {
	for _, offset := range []int64{0, 1, period - 1, period, 10 * period} {
		b := append([]byte(nil), piece(3, offset, 100)...)
		if !follows(3, offset, b) {
			t.Errorf("what is at %d does not follow", offset)
		}
		if follows(3, offset+64, b) || follows(4, offset, b) {
			t.Errorf("what is at %d is elsewhere too", offset)
		}
		b[99]++
		if follows(3, offset, b) {
			t.Errorf("a wrong byte at %d goes unnoticed", offset+99)
		}
	}
}
