// Package trace is what generated programs are linked with: a trace of what
// they do, and fuel that ends them.
package trace

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// state is that of the one program that runs in the process at a time. The
// goroutines of a program take turns, so the order of events is one; the mutex
// is for the memory model.
var state struct {
	sync.Mutex
	log  strings.Builder
	fuel int
	cut  bool
}

// maxLog bounds a trace, in bytes.
const maxLog = 256 << 10

// Begin starts the trace of a program that may take the given number of steps.
func Begin(fuel int) {
	state.Lock()
	defer state.Unlock()
	state.log.Reset()
	state.fuel = fuel
	state.cut = false
	ticks.Store(0)
}

// End returns the trace.
func End() string {
	state.Lock()
	defer state.Unlock()
	s := state.log.String()
	if state.cut {
		s += "...\n"
	}
	return s + fmt.Sprintf("fuel %d\n", max(state.fuel, 0))
}

// Show records the values.
func Show(args ...any) {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Sprint(a))
	}
	b.WriteByte('\n')
	state.Lock()
	defer state.Unlock()
	if state.log.Len() > maxLog {
		state.cut = true
		return
	}
	state.log.WriteString(b.String())
}

// Spent takes one step, and reports whether there was none left. Functions and loops
// of a program ask it, and end if so.
func Spent() bool {
	state.Lock()
	defer state.Unlock()
	state.fuel--
	return state.fuel < 0
}

// Goexit is runtime.Goexit.
func Goexit() { runtime.Goexit() }
