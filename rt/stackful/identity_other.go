//go:build !amd64 && !arm64

package stackful

import "runtime"

// identity returns the number of the running goroutine, taken from the first
// line of its traceback, "goroutine 17 [running]:". Numbers are not used again.
// Two are added to keep clear of the table's markers. This is slow, some
// microseconds, and only for architectures without an assembly version.
func identity() uintptr {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	var n uintptr
	for _, c := range line[len("goroutine "):] {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uintptr(c-'0')
	}
	return n + 2
}
