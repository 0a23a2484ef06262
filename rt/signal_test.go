package rt

import (
	"testing"
	"testing/synctest"
	"time"
)

// What goroutines wait on is kept for others. In a bubble of testing/synctest it must
// let time pass, wherever it was made, and must be of use outside of it, too.
func TestPlainFormsInBubble(t *testing.T) {
	contend := func() {
		var m Mutex
		m.Lock()
		c := NewChan[int](0)
		done := make(chan struct{})
		go func() {
			defer close(done)
			m.Lock()
			if v, ok := c.Recv(); v != 1 || !ok {
				t.Errorf("received %d, %v", v, ok)
			}
		}()
		time.Sleep(10 * time.Millisecond)
		m.Unlock()
		c.Send(1)
		<-done
	}
	for range 3 {
		contend()
		synctest.Test(t, func(t *testing.T) { contend() })
	}
}
