package rt

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// An outcome is how a task ended, for those who wait for it.
type outcome struct {
	kind  outcomeKind
	crash *crash // the panic
}

type outcomeKind uint8

const (
	returned  outcomeKind = iota // Poll returned true
	panicked                     // left by a panic
	exited                       // left by runtime.Goexit
	abandoned                    // the runtime was closed
)

// ErrClosed is the value of the panic in a caller that starts or waits for a
// task on a runtime that is closed.
var ErrClosed = errors.New("rt: runtime is closed")

// surface makes o happen to the caller.
func (o outcome) surface() {
	switch o.kind {
	case panicked:
		o.crash.raise()
	case exited:
		runtime.Goexit()
	case abandoned:
		panic(ErrClosed)
	}
}

// A crash is a panic that has left a task. Whoever waits for the task gets another
// panic with the same value, see raise; if nobody does, the crash itself ends the
// program. By then the stack it came from is gone, so the text has it.
type crash struct {
	value any
	stack []byte
	// cause is the crash that the value came from, if the task had it from another one.
	cause *crash
}

// newCrash is called by the deferred function that recovered v, when the stack
// that panicked is still there.
func newCrash(v any) *crash { return &crash{value: v, stack: debug.Stack()} }

// raise makes the crash happen to the caller, who sees a panic with its value. It
// happens on top of a panic with the crash: recover returns the last one and ends both,
// and if nobody recovers, Go prints both.
func (c *crash) raise() {
	if cx := contextHere(); cx != nil {
		cx.raised, cx.raisedIn = c, cx.Waker()
	}
	defer func() { panic(c.value) }()
	panic(c)
}

// crashOf is newCrash for the current task, which may have the panic from another one.
func (cx *Context) crashOf(v any) *crash {
	c := newCrash(v)
	if cx.raised != nil && cx.task != nil && cx.raisedIn == cx.Waker() && sameValue(v, cx.raised.value) {
		c.cause = cx.raised
	}
	cx.raised = nil
	return c
}

// sameValue reports whether a == b, and false if they cannot be compared.
func sameValue(a, b any) bool {
	defer func() { _ = recover() }()
	return a == b
}

func (c *crash) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v\n\nin a task of rt:\n%s", c.value, c.stack)
	for c = c.cause; c != nil; c = c.cause {
		fmt.Fprintf(&text, "\nwhich has it from another task:\n%s", c.stack)
	}
	return text.String()
}

// Unwrap returns the panic's value if that is an error.
func (c *crash) Unwrap() error {
	err, _ := c.value.(error)
	return err
}
