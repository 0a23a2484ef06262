package service

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/cogen-go/cogen/rt"
)

// A Report is what a server says about itself, as one line of JSON.
type Report struct {
	// Driver is "uring" or "epoll".
	Driver string `json:"driver"`
	// Connections are open now; Accepted were ever accepted.
	Connections int    `json:"connections"`
	Accepted    uint64 `json:"accepted"`
	// Tasks, InFlight (operations), Goroutines and Descriptors exist now.
	Tasks       int `json:"tasks"`
	InFlight    int `json:"inFlight"`
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
	// The rest are totals since the start: polls of tasks, operations submitted
	// to the drivers and system calls that these made, and of those the ones
	// that were allowed to block.
	Polls     uint64 `json:"polls"`
	Submitted uint64 `json:"submitted"`
	Syscalls  uint64 `json:"syscalls"`
	Waits     uint64 `json:"waits"`
}

// report writes a Report to w.
func (c *Conns) report(w io.Writer) error {
	stats := rt.Stats()
	r := Report{Tasks: stats.Tasks(), Goroutines: runtime.NumGoroutine(), Polls: stats.Polls}
	for _, worker := range stats.Workers {
		r.Driver = worker.Driver
		r.InFlight += worker.InFlight
		r.Submitted += worker.Counters.Submitted
		r.Syscalls += worker.Counters.Syscalls
		r.Waits += worker.Counters.Waits
	}
	c.mu.Lock()
	r.Connections, r.Accepted = len(c.open), c.accepted
	c.mu.Unlock()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("count descriptors: %w", err)
	}
	r.Descriptors = len(entries) - 1 // without the one that lists them
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// ParseReport reads a line that a server printed. It returns false if the line
// is something else.
func ParseReport(line string) (r Report, ok bool) {
	if !strings.HasPrefix(line, "{") {
		return r, false
	}
	return r, json.Unmarshal([]byte(line), &r) == nil
}
