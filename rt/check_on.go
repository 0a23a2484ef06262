//go:build cogen_invariants && linux && !cogen_portable

package rt

import (
	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/checked"
)

// With the tag cogen_invariants every worker watches its driver, and what it makes of
// descriptors.

func check(d driver.Driver) driver.Driver { return checked.New(d) }

// unchecked returns the driver behind d.
func unchecked(d driver.Driver) driver.Driver {
	if c, ok := d.(*checked.Driver); ok {
		return c.Unwrap()
	}
	return d
}

func checkOpened(fd driver.FD) { checked.Opened(fd) }

func checkUnwinding() (done func()) { return checked.Unwind() }
