//go:build !linux

package blocking

import (
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// perform calls functions only: other systems have no descriptors that the
// runtime makes itself.
func perform(op *driver.Op) int32 {
	if op.Code != driver.Call {
		return -int32(syscall.EINVAL)
	}
	op.File.Func()
	return 0
}
