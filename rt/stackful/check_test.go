//go:build go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// The checks at the start are not misled by what a collector does meanwhile: it takes
// hold of parked goroutines, and moves stacks.
func TestChecksWhileCollecting(t *testing.T) {
	if _, err := newExchange(); err != nil {
		t.Skip(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	end := time.Now().Add(time.Second)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for time.Now().Before(end) {
				runtime.GC()
			}
		})
	}
	for time.Now().Before(end) && !t.Failed() {
		checked := make(chan error)
		go func() {
			runtime.LockOSThread()
			runtime.LockOSThread()
			checked <- checkLayout()
		}()
		if err := <-checked; err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
