//go:build !cogen_invariants || !linux || cogen_portable

package rt

import "github.com/cogen-go/cogen/rt/driver"

func check(d driver.Driver) driver.Driver { return d }

func unchecked(d driver.Driver) driver.Driver { return d }

func checkOpened(driver.FD) {}

func checkUnwinding() (done func()) { return func() {} }
