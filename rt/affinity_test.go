//go:build linux

package rt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Workers run on their CPUs, also on standby threads, and no other thread does
// because of it.
func TestWorkersOnCPUs(t *testing.T) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for i := range 1024 {
		if allowed.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	if len(cpus) < 2 {
		t.Skip("there is one CPU only")
	}
	before := affinities(t)
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			r, err := New(Config{Workers: 3, Driver: m.name, CPUs: cpus[:2], HandOff: defaultHandOff})
			if err != nil {
				t.Skip(err)
			}
			check := func(worker int) {
				var here unix.CPUSet
				if err := unix.SchedGetaffinity(0, &here); err != nil || here.Count() != 1 || !here.IsSet(cpus[worker%2]) {
					t.Errorf("worker %d runs on %d CPUs, %v", worker, here.Count(), err)
				}
			}
			for i := range 3 {
				r.GoOn(i, plainly(func() { check(i) })).Wait()
			}
			release := make(chan bool)
			away := r.GoOn(1, plainly(func() { <-release }))
			r.GoOn(1, plainly(func() { check(1); close(release) })).Wait()
			away.Wait()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, func() bool {
		for mask := range affinities(t) {
			if !before[mask] {
				return false
			}
		}
		return true
	})
	if r, err := New(Config{Workers: 1, CPUs: []int{1023}}); err == nil {
		r.Close()
		t.Error("a CPU that is not there was accepted")
	}
}

// affinities returns the sets of CPUs that threads of the process may run on.
func affinities(t *testing.T) map[string]bool {
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	masks := make(map[string]bool)
	for _, f := range files {
		status, _ := os.ReadFile(f) // the thread may have ended
		if _, rest, ok := strings.Cut(string(status), "Cpus_allowed:"); ok {
			mask, _, _ := strings.Cut(rest, "\n")
			masks[mask] = true
		}
	}
	return masks
}
