package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// population is how many tasks or goroutines wait while their memory is measured.
const population = 100_000

// crowds start n of something that waits for ever.
var crowds = map[string]func(n int){
	"task": func(n int) {
		counts := make([]int, n)
		for i := range counts {
			rt.Go(parkedAsync(&counts[i]))
		}
		for rt.Stats().Polls < uint64(n) {
			time.Sleep(time.Millisecond)
		}
	},
	"goroutine": func(n int) {
		counts := make([]int, n)
		never := make(chan struct{})
		for i := range counts {
			go func() {
				<-never
				counts[i]++
			}()
		}
		time.Sleep(100 * time.Millisecond)
	},
}

// memoryOf returns the resident bytes of each member of a crowd, measured in a
// process of its own.
func memoryOf(crowd string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	out, err := exec.Command(self, "-crowd", crowd).Output()
	if err != nil {
		return 0, fmt.Errorf("memory of a %s: %w", crowd, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// printCrowd is what that process does.
func printCrowd(crowd string) error {
	start := crowds[crowd]
	if start == nil {
		return fmt.Errorf("no crowd is called %q", crowd)
	}
	start(100) // what is made only once
	before, err := resident()
	if err != nil {
		return err
	}
	start(population)
	after, err := resident()
	if err != nil {
		return err
	}
	fmt.Println((after - before) / population)
	return nil
}

// resident returns this process's resident memory in bytes, garbage left out.
func resident() (int, error) {
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, pages int
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		return 0, err
	}
	return pages * os.Getpagesize(), nil
}
