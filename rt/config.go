package rt

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Config says how to make a [Runtime]. The zero Config is right for most.
type Config struct {
	// Workers is the number of workers, by default the value of COGEN_WORKERS, or
	// else GOMAXPROCS.
	Workers int
	// Driver is "uring", "epoll" or "portable", which is slow and works everywhere.
	// By default it is the value of COGEN_DRIVER, or else the first of these that works.
	Driver string
	// SharedNothing keeps every task on the worker that it was started on, however busy
	// that is: tasks started in a task on the worker of that one, others by turns, or
	// where [Runtime.GoOn] says. By default a worker that is busy gives tasks that
	// have not begun to others that have nothing to do.
	SharedNothing bool
	// CPUs has the workers run on these CPUs, each on one, in turn. By default they
	// run on any. It is for Linux.
	CPUs []int
	// BlockingCalls bounds how many system calls that block the drivers of the
	// runtime have in progress at once, each on a thread: with epoll, all on files
	// that are not in memory; with uring, those that a ring cannot do. By default
	// it is 64. Functions given to [Blocking] do not count.
	BlockingCalls int
	// HandOff is how long a poll may take before its worker is handed to another
	// thread, so that the worker's other tasks go on while this one blocks or
	// computes. A poll is found out after once to twice this time. By default it is
	// the value of COGEN_HANDOFF, a duration such as 5ms, or else 5ms. If it is
	// negative workers are never handed over.
	HandOff time.Duration
}

// defaultHandOff keeps what waits behind a poll that does not come back from
// waiting longer than 20 ms. A hand-off and its undoing cost some ten
// microseconds each.
const defaultHandOff = 5 * time.Millisecond

// complete fills in what was left open.
func (c *Config) complete() error {
	if c.Driver == "" {
		c.Driver = os.Getenv("COGEN_DRIVER")
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
		if s := os.Getenv("COGEN_WORKERS"); s != "" {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 {
				return fmt.Errorf("rt: COGEN_WORKERS=%q is not a positive number", s)
			}
			c.Workers = n
		}
	}
	if c.HandOff == 0 {
		c.HandOff = defaultHandOff
		if s := os.Getenv("COGEN_HANDOFF"); s != "" {
			d, err := time.ParseDuration(s)
			if err != nil || d == 0 {
				return fmt.Errorf("rt: COGEN_HANDOFF=%q is not a duration other than 0", s)
			}
			c.HandOff = d
		}
	}
	if c.Workers < 0 {
		return fmt.Errorf("rt: %d workers", c.Workers)
	}
	if c.BlockingCalls < 0 {
		return fmt.Errorf("rt: %d blocking calls", c.BlockingCalls)
	}
	return nil
}
