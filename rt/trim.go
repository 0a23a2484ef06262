package rt

import "time"

// A burst of tasks that wait in plain code leaves a thread with idle runners. Those
// that are not needed for a while end, half of them at a time, so that a thread with
// nothing to do soon has none but the one that it sleeps on. A thread that is busy
// keeps its own, up to idleRunners.

// trimInterval is a variable for the sake of a test.
var trimInterval = 5 * time.Second

// patience returns how long th may sleep: timeout, negative if that is for ever, or
// until it is time to look at idle runners again.
func (th *thread) patience(timeout time.Duration) time.Duration {
	if th.runners.Idle() == 0 || th.worker.simulation != nil {
		return timeout
	}
	now := nanotime()
	if th.trimAt == 0 {
		th.trimAt = now + int64(trimInterval)
		th.runners.Watch()
	}
	left := time.Duration(th.trimAt - now)
	switch {
	case left <= 0:
		th.trims = true
		return 0
	case timeout < 0 || timeout > left:
		return left
	}
	return timeout
}

// trim is called by home when patience has said so: runners end on its stack.
func (th *thread) trim() {
	th.trims, th.trimAt = false, 0
	th.worker.count.stacks -= th.runners.Shrink()
}
