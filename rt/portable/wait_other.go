//go:build !linux

package portable

import (
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// waits would be the operations that wait for a descriptor. On this system no
// operation has one.
type waits struct{ n int }

func (w *waits) init(func()) {}

func (w *waits) start(op *driver.Op) bool {
	op.Res = -int32(syscall.EINVAL)
	return true
}

func (w *waits) cancel(*driver.Op)               {}
func (w *waits) cancelAll(driver.FD)             {}
func (w *waits) collect(func(*driver.Op, int32)) {}
