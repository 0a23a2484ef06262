package rttest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// traceVar is the environment variable that makes a world log what happens in it.
const traceVar = "COGEN_TRACE"

// A trace is what has happened in a world: the last of it, and a hash of all.
type trace struct {
	hash   uint64
	events []event // a ring
	n      int
}

// An event is something that happened in a world.
type event struct {
	at   time.Duration
	what happening
	a, b int
}

// A happening is a kind of event, with the format for its numbers.
type happening uint8

const (
	taskPolled happening = iota
	dataSent
	dataArrived
	opEnded
	connReset
	hostCut
	hostJoined
)

var happenings = [...]string{
	taskPolled:  "task %[1]d polled",
	dataSent:    "socket %[1]d sends %[2]d bytes",
	dataArrived: "%[2]d bytes arrive at socket %[1]d",
	opEnded:     "operation on socket %[1]d ends with %[2]d",
	connReset:   "socket %[1]d fails with error %[2]d",
	hostCut:     "host %[2]d.%[1]d cut off",
	hostJoined:  "host %[2]d.%[1]d joined again",
}

// tracePlaces is how many events a trace keeps.
const tracePlaces = 64

func (t *trace) add(e event) {
	if len(t.events) < tracePlaces {
		t.events = append(t.events, e)
	} else {
		t.events[t.n%tracePlaces] = e
	}
	t.n++
	for _, v := range [...]uint64{uint64(e.at), uint64(e.what), uint64(e.a), uint64(e.b)} {
		t.hash = (t.hash ^ v) * 0x9e3779b97f4a7c15
		t.hash ^= t.hash >> 29
	}
}

// text returns the last events, one a line.
func (t *trace) text() string {
	var b strings.Builder
	repeated := 0
	for i := max(0, t.n-tracePlaces); i < t.n; i++ {
		e := t.events[i%tracePlaces]
		repeated++
		if i+1 < t.n && t.events[(i+1)%tracePlaces] == e {
			continue
		}
		fmt.Fprintf(&b, "%12v  ", e.at)
		fmt.Fprintf(&b, happenings[e.what], e.a, e.b)
		if repeated > 1 {
			fmt.Fprintf(&b, ", %d times", repeated)
		}
		b.WriteByte('\n')
		repeated = 0
	}
	return b.String()
}

// stack returns the stack of the calling goroutine.
func stack() string {
	buf := make([]byte, 16<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

// waiting returns the stacks of the goroutines of this bubble that wait, down to the
// runtime's own part, and without those that are the runtime's own altogether.
func waiting() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	stacks := strings.Split(string(buf), "\n\n")
	stacks = slices.DeleteFunc(stacks, func(s string) bool {
		first, _, _ := strings.Cut(s, "\n")
		return !strings.Contains(first, "synctest bubble") || strings.Contains(s, "synctest.Test(") ||
			strings.Contains(s, "/rt/") && !strings.Contains(s, "rt.(*Context).suspend(")
	})
	for i, s := range stacks {
		if end := strings.Index(s, "\ngithub.com/cogen-go/cogen/rt.(*Context).loop("); end >= 0 {
			stacks[i] = s[:end]
		}
	}
	return strings.Join(stacks, "\n\n")
}
