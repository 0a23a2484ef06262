//go:build linux

package epoll

import (
	"sync"
	"testing"
	"time"
)

func TestWakeCosts(t *testing.T) {
	d := start(t)
	for range 100 {
		d.Wake()
	}
	if c := d.Counters(); c.Wakes != 0 {
		t.Errorf("%d calls for waking a driver that is awake", c.Wakes)
	}
	d.Wait(time.Hour) // returns, for it has been woken

	d.waker.sleep()
	for range 100 {
		d.Wake()
	}
	d.waker.rise()
	if c := d.Counters(); c.Wakes != 1 {
		t.Errorf("%d calls for waking a sleeping driver 100 times, want 1", c.Wakes)
	}
}

// TestWakeAgainstClose wakes drivers that are being closed. A write that came too
// late would reach whatever has the eventfd's number by then.
func TestWakeAgainstClose(t *testing.T) {
	for range 200 {
		d := open(t, Config{})
		var wakers sync.WaitGroup
		ready := make(chan struct{}, 2)
		for range 2 {
			wakers.Go(func() {
				ready <- struct{}{}
				for range 50 {
					d.Wake()
				}
			})
		}
		<-ready
		<-ready
		d.Wait(time.Microsecond)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		wakers.Wait()
	}
}
