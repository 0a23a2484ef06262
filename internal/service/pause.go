package service

import (
	"errors"
	"syscall"
	"time"
)

// AcceptPause says what to do about an error of Accept: wait for so long and try
// again, or give up if it returns false. A connection that was reset before it
// was accepted, or a process that is out of descriptors, is no reason to end.
func AcceptPause(err error) (time.Duration, bool) {
	switch {
	case errors.Is(err, syscall.ECONNABORTED):
		return 0, true
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.ENOBUFS), errors.Is(err, syscall.ENOMEM):
		return 10 * time.Millisecond, true
	}
	return 0, false
}
