//go:build !linux

package blocking

import (
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// Perform calls functions only: other systems have no descriptors that the
// runtime makes itself.
func Perform(op *driver.Op) int32 {
	if op.Code != driver.Call {
		return -int32(syscall.EINVAL)
	}
	op.File.Func()
	return 0
}
