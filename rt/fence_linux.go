//go:build amd64 && !race

package rt

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// The commands of membarrier(2), Linux 4.14.
const (
	membarrierPrivateExpedited         = 1 << 3
	membarrierRegisterPrivateExpedited = 1 << 4
)

// haveMembarrier registers the process for membarrier, which must come before
// its use.
var haveMembarrier = sync.OnceValue(func() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, membarrierRegisterPrivateExpedited, 0, 0)
	return errno == 0
})

// fenceThreads makes every thread of the process pass a full memory barrier. The
// kernel interrupts those that run; the others pass one when they are switched
// to.
//
// Where the call is missing or forbidden the Go runtime is made to stop all
// goroutines for a moment, which has the same effect: each goes through atomic
// operations of the scheduler's, and those in system calls did when they entered
// them.
func fenceThreads() {
	if haveMembarrier() {
		if _, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, membarrierPrivateExpedited, 0, 0); errno == 0 {
			return
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
}
