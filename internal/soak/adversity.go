//go:build linux

package main

import (
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// limitDescriptors leaves the process n descriptors more than it has, until the function
// that it returns is called.
func limitDescriptors(n int) (undo func(), err error) {
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		return nil, err
	}
	now := was
	now.Cur = min(was.Cur, uint64(entries("/proc/self/fd")+n))
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &now); err != nil {
		return nil, err
	}
	return func() { unix.Setrlimit(unix.RLIMIT_NOFILE, &was) }, nil
}

// signalStorm sends signals to all threads until the function that it returns is called. The
// signal is one that the Go runtime makes nothing of, but system calls are interrupted.
func signalStorm() (stop func()) {
	var all sync.WaitGroup
	over := make(chan struct{})
	all.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		pid := os.Getpid()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			threads, _ := os.ReadDir("/proc/self/task")
			for _, t := range threads {
				if tid, err := strconv.Atoi(t.Name()); err == nil {
					unix.Tgkill(pid, tid, unix.SIGURG)
				}
			}
		}
	})
	return func() { close(over); all.Wait() }
}
