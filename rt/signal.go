package rt

import "sync"

// A signal lets a goroutine sleep until another one, or a worker, sends it. It is used
// again and again, for different goroutines. It is not a channel, because a channel
// that was made in a bubble of testing/synctest cannot be used outside of it, and one
// that was made outside keeps the time in a bubble from passing: a Mutex that
// both use would not work.
type signal struct {
	mu   sync.Mutex
	cond sync.Cond
	sent bool
}

func newSignal() *signal {
	s := new(signal)
	s.cond.L = &s.mu
	return s
}

// wait waits for one send.
func (s *signal) wait() {
	s.mu.Lock()
	for !s.sent {
		s.cond.Wait()
	}
	s.sent = false
	s.mu.Unlock()
}

// send ends the wait that is under way, or the next one. It does not block. The signal
// may be used for something else, by whoever waited, before send has returned.
func (s *signal) send() {
	s.mu.Lock()
	s.sent = true
	s.cond.Signal()
	s.mu.Unlock()
}
