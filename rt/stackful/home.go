package stackful

import "sync"

// A home is what code finds by the identity of the goroutine it runs on: the
// runner whose stack it is on, if any.
//
// Under the portable engine each runner has a goroutine, and a home, of its own.
// Under exchange a home stands for the goroutine that made the runners, and
// for all goroutines whose stacks the engine exchanges with it.
type home struct {
	// current is the runner that runs, nil while home's own code does.
	current *Runner

	// The rest is of the exchange engine, and but for what mu guards used on
	// home's thread only.

	// ended is the stack that has ended last, for reap.
	ended *exchangeStack
	// token is the running goroutine, as far as it is known to be registered.
	token uintptr
	// locks is the state of the thread's locks when home was made: the count of
	// LockOSThread in the low half, of the Go runtime's own in the high half.
	locks uint64
	tally tally

	mu         sync.Mutex
	live       int // runners that have not ended
	registered bool
}

// enter counts a runner that h gets.
func (h *home) enter() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live++
	if !h.registered {
		h.registered = true
		runners.add(h.token, h)
	}
}

// leave counts a runner that h has no more. With the last one h's own
// entry in the table goes, because nobody will tell when its goroutine ends.
func (h *home) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live--
	if h.live == 0 {
		h.registered = false
		runners.remove(h.token)
	}
}
