package rt

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// An outcome is how a task ended, for those who wait for it.
type outcome struct {
	kind  outcomeKind
	value any // of the panic
}

type outcomeKind uint8

const (
	returned  outcomeKind = iota // Poll returned true
	panicked                     // left by a panic with the value
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
		panic(o.value)
	case exited:
		runtime.Goexit()
	case abandoned:
		panic(ErrClosed)
	}
}

// A crash is the panic that ends the program when a panic leaves a task that
// nobody waits for. By then the stack it came from is gone, so the text has
// it.
type crash struct {
	value any
	stack []byte
}

// newCrash is called by the deferred function that recovered v, when the stack
// that panicked is still there.
func newCrash(v any) *crash { return &crash{v, debug.Stack()} }

func (c *crash) Error() string {
	return fmt.Sprintf("%v\n\nin a task of rt:\n%s", c.value, c.stack)
}

// Unwrap returns the panic's value if that is an error.
func (c *crash) Unwrap() error {
	err, _ := c.value.(error)
	return err
}
