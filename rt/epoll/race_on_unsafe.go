//go:build linux && race

package epoll

import (
	"runtime"
	"unsafe"
)

// ioSync stands for the order that a message through a socket implies: what
// happened before a send happens before every later receive. The race detector
// sees neither that nor the kernel's accesses to buffers, so it is told, as
// package syscall does for its own calls.
var ioSync byte

// Sound: the addresses are only names to the race detector, which does not
// access the memory, and the slices keep it alive during the calls.

func raceReceived(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
	runtime.RaceAcquire(unsafe.Pointer(&ioSync))
}

func raceSending(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
	runtime.RaceReleaseMerge(unsafe.Pointer(&ioSync))
}
