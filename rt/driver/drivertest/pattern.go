//go:build linux

package drivertest

import "bytes"

// period is the length after which the bytes of a stream repeat. It is a prime, and
// so fits no size of a buffer: bytes that are lost, doubled or moved show.
const period = 251

// patterns is the stream of all tests, from position 0. A table makes it cheap
// to write and to check, under the race detector above all.
var patterns = func() (t [64<<10 + period]byte) {
	for i := range t {
		t[i] = byte(i % period)
	}
	return t
}()

// from returns the stream from a position on, at least 64 KiB of it.
func from(pos int) []byte { return patterns[pos%period:] }

// putPattern fills b with the stream from pos on.
func putPattern(b []byte, pos int) {
	for len(b) > 0 {
		n := copy(b, from(pos))
		b, pos = b[n:], pos+n
	}
}

// newPattern returns n bytes of the stream from pos on.
func newPattern(n, pos int) []byte {
	b := make([]byte, n)
	putPattern(b, pos)
	return b
}

// wantPattern checks that b is the stream from pos on, and returns the position
// after it.
func (r *rig) wantPattern(b []byte, pos int) int {
	r.Helper()
	for len(b) > 0 {
		want := from(pos)
		n := min(len(b), len(want))
		if !bytes.Equal(b[:n], want[:n]) {
			for i, c := range b[:n] {
				if c != want[i] {
					r.Fatalf("byte %d of the stream is %#x, want %#x", pos+i, c, want[i])
				}
			}
		}
		b, pos = b[n:], pos+n
	}
	return pos
}
