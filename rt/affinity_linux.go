package rt

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// bindThread lets the calling thread, which its goroutine is locked to, run on one CPU
// only, until release is called on it. That matters although the thread ends with its
// goroutine, because the first thread of a program never ends. Go makes no threads
// from locked ones, so none inherits this.
func bindThread(cpu int) (release func(), err error) {
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("ask for the CPUs of a thread: %w", err)
	}
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("bind to CPU %d: %w", cpu, err)
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) }, nil
}
