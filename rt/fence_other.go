//go:build amd64 && !race && !linux

package rt

import "runtime"

// fenceThreads makes every thread of the process pass a full memory barrier: the
// Go runtime stops all goroutines for a moment, for which each goes through
// atomic operations of the scheduler's, as those in system calls did when they
// entered them.
func fenceThreads() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
}
