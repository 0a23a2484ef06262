//go:build linux

package drivertest

import (
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// testTimeouts waits for timeouts of every size with nothing to wait for, and
// with something that comes.
func testTimeouts(r *rig) {
	a, b := r.pair()
	for _, d := range []time.Duration{0, 1, time.Microsecond, 50 * time.Microsecond, 999 * time.Microsecond, time.Millisecond, 1500 * time.Microsecond, 20 * time.Millisecond} {
		if n := r.wait(d); n != 0 {
			r.Errorf("Wait(%v) delivered %d operations of none", d, n)
		}
		o := r.pending(r.recv(a, 16))
		if n := r.wait(d); n != 0 {
			r.Errorf("Wait(%v) delivered %d operations, and none has ended", d, n)
		}
		r.write(b, []byte("bytes"))
		r.wantBytes(o, "bytes")
	}
	for _, d := range []time.Duration{-1, time.Hour, 1<<63 - 1} {
		o := r.pending(r.recv(a, 16))
		r.write(b, []byte("bytes"))
		for o.inFlight {
			r.wait(d)
		}
		r.wantBytes(o, "bytes")
	}
}

// testWaitBlocks checks that Wait blocks, rather than return early all the time.
func testWaitBlocks(r *rig) {
	a, _ := r.pair()
	r.pending(r.recv(a, 16))
	turns := 0
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); turns++ {
		r.wait(max(0, time.Until(end)))
	}
	if turns > 100 {
		r.Errorf("Wait returned %d times without a reason", turns)
	}
}

// testSignals interrupts Wait with signals: they may end it early, but no
// operation.
func testSignals(r *rig) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGUSR1)
	defer signal.Stop(c)
	a, b := r.pair()
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Microsecond):
				unix.Tgkill(unix.Getpid(), r.tid, unix.SIGUSR1)
			}
		}
	})
	for range 50 {
		o := r.pending(r.recv(a, 16))
		for range 3 {
			r.wait(time.Millisecond)
		}
		if !o.inFlight {
			r.Fatalf("a signal has ended an operation, %s", o)
		}
		r.write(b, []byte("bytes"))
		r.wantBytes(o, "bytes")
	}
	close(stop)
	done.Wait()
}

// returns checks that Wait returns, for a reason other than its timeout.
func (r *rig) returns(what string) {
	r.Helper()
	start := time.Now()
	r.wait(patience)
	if time.Since(start) >= patience {
		r.Fatalf("Wait did not return: %s", what)
	}
}

// testWakeBefore wakes a driver that does not wait.
func testWakeBefore(r *rig) {
	for range 3 {
		r.d.Wake()
		r.returns("woken before")
		r.d.Wake()
		r.d.Wake()
		r.returns("woken twice before")
		r.d.Wake()
		r.poll()
		r.poll()
		r.returns("woken before a Poll, which is no Wait")
		done := make(chan struct{})
		go func() {
			r.d.Wake()
			close(done)
		}()
		<-done
		r.returns("woken before, by another thread")
	}
}

func testWakeDuring(r *rig) {
	a, _ := r.pair()
	r.pending(r.recv(a, 16))
	for i := range 10 {
		var done sync.WaitGroup
		done.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			r.d.Wake()
		})
		r.returns("woken while waiting")
		done.Wait()
	}
}

// testWakeByTurns lets another thread post items one at a time, each when the
// last has been seen: one lost wake-up stops it.
func testWakeByTurns(r *rig) {
	const count = 20_000
	var posted atomic.Int64
	seen := int64(0)
	turn := make(chan struct{}, 1)
	var done sync.WaitGroup
	done.Go(func() {
		for range count {
			posted.Add(1)
			r.d.Wake()
			<-turn
		}
	})
	defer done.Wait()
	for end := time.Now().Add(patience); seen < count; {
		if n := posted.Load(); n > seen {
			seen = n
			turn <- struct{}{}
			continue
		}
		if r.wait(max(0, time.Until(end))); !time.Now().Before(end) {
			close(turn)
			r.Fatalf("after %d items nothing has woken the driver", seen)
		}
	}
}

// testWakeCrowd lets several threads post at once, as fast as they can, while
// operations end too.
func testWakeCrowd(r *rig) {
	const posters, each = 4, 5_000
	a, b := r.pair()
	var posted atomic.Int64
	var done sync.WaitGroup
	for range posters {
		done.Go(func() {
			for range each {
				posted.Add(1)
				r.d.Wake()
			}
		})
	}
	defer done.Wait()
	o := r.received(a, 1)
	end := time.Now().Add(patience)
	for turn := 0; posted.Load() < posters*each; turn++ {
		if turn%8 == 0 {
			r.write(b, []byte{1})
		}
		r.wait(max(0, time.Until(end)))
		if !o.inFlight {
			r.submit(o)
		}
		if !time.Now().Before(end) {
			r.Fatalf("%d of %d items were posted, and nothing has woken the driver", posted.Load(), posters*each)
		}
	}
	r.cancel(o)
	r.end(o)
}
