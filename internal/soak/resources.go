//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// resources is what a process holds.
type resources struct {
	descriptors, goroutines, threads, mappings int
	heap                                       uint64 // bytes in use after a collection
}

func (u resources) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %d threads, %d mappings, %d KiB of heap",
		u.descriptors, u.goroutines, u.threads, u.mappings, u.heap>>10)
}

// measure counts what the process holds, after a collection.
func measure() resources {
	// Twice: what has a clean-up function goes with the second one.
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	maps, _ := os.ReadFile("/proc/self/maps")
	return resources{
		descriptors: entries("/proc/self/fd"),
		goroutines:  runtime.NumGoroutine(),
		threads:     entries("/proc/self/task"),
		mappings:    bytes.Count(maps, []byte("\n")),
		heap:        m.HeapAlloc,
	}
}

func entries(dir string) int {
	list, err := os.ReadDir(dir)
	if err != nil {
		return -1
	}
	return len(list)
}

// The most that may stay for good beyond the first rounds. The Go runtime keeps threads, and
// maps memory in pieces; goroutines that could be of use are kept for a while.
const (
	moreGoroutines = 80
	moreThreads    = 60
	moreMappings   = 200
	moreHeap       = 64 << 20
)

// exceeds says what u has grown by since first, "" if it has not.
func (u resources) exceeds(first resources) string {
	switch {
	case u.descriptors > first.descriptors:
		return "descriptors are left open"
	case u.goroutines > first.goroutines+moreGoroutines:
		return "goroutines are left"
	case u.threads > first.threads+moreThreads:
		return "threads are left"
	case u.mappings > first.mappings+moreMappings:
		return "mappings are left"
	case u.heap > first.heap+moreHeap:
		return "the heap has grown"
	}
	return ""
}

// settle measures again and again until nothing exceeds what was there at first.
func settle(first resources) (u resources, excess string) {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		u = measure()
		if excess = u.exceeds(first); excess == "" || time.Now().After(end) {
			return u, excess
		}
	}
}

// showDescriptors prints what the process has open.
func showDescriptors() {
	const dir = "/proc/self/fd/"
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		target, _ := os.Readlink(dir + e.Name())
		fmt.Fprintln(os.Stderr, e.Name(), target)
	}
}
