//go:build linux && !cogen_portable

package rt

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// opError wraps err as package net does for an operation: with both ends of a
// connection, and with its own end for a listener.
func (d *netFD) opError(op string, err error) error {
	if d.listening {
		return d.ownError(op, err)
	}
	return &net.OpError{Op: op, Net: d.net.String(), Source: d.local.netAddr(d.net), Addr: d.remote.netAddr(d.net), Err: err}
}

// ownError wraps err as package net does for what concerns this end only.
func (d *netFD) ownError(op string, err error) error {
	return &net.OpError{Op: op, Net: d.net.String(), Addr: d.local.netAddr(d.net), Err: err}
}

// resultError is the error that a driver's negative result stands for. The
// name of the system call is the one that package net reports.
func resultError(call string, res int32) error {
	return os.NewSyscallError(call, syscall.Errno(-res))
}

// canceledError is a dial's error when its context was cancelled.
type canceledError struct{}

func (canceledError) Error() string        { return "operation was canceled" }
func (canceledError) Is(target error) bool { return target == context.Canceled }

// timeoutError is a dial's error when its time is up. Package net has two for
// that, alike but for what they are, and it depends on chance which one it returns.
type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
func (timeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// contextError is what package net makes of a context's error.
func contextError(err error) error {
	switch err {
	case context.Canceled:
		return canceledError{}
	case context.DeadlineExceeded:
		return timeoutError{}
	}
	return err
}

// errMissingAddress is the error of dialling an empty address.
var errMissingAddress = errors.New("missing address")
