//go:build !unix

package load

import (
	"errors"
	"os"
)

// askForReport cannot be done on this system, for lack of signals.
func askForReport(*os.Process) error { return errors.ErrUnsupported }
