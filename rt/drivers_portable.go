//go:build !linux || cogen_portable

package rt

import "github.com/cogen-go/cogen/rt/driver"

// driverMakers has the one driver there is. The build tag cogen_portable makes
// Linux have what other systems have, so that it can be tested there.
var driverMakers = []driverMaker{portableMaker}

// ringOf describes the ring of a driver that has one.
func ringOf(driver.Driver) string { return "" }
