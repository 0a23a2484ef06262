package rt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An ordinary goroutine is not taken for a worker's because the thread that it was on
// has become one.
func TestGoroutinesAreNotTakenForTasks(t *testing.T) {
	if _, ok := threadID(); !ok {
		t.Skip("threads have no numbers here")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var stop atomic.Bool
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for !stop.Load() {
				if cx := contextHere(); cx != nil {
					t.Error("a goroutine has been found to be part of a task")
					return
				}
			}
		})
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end) && !t.Failed(); {
		r, err := New(Config{Workers: 4, Driver: driverMakers[len(driverMakers)-1].name})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	all.Wait()
}
