//go:build !cogen_portable

package rt

import (
	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
	"github.com/cogen-go/cogen/rt/epoll"
	"github.com/cogen-go/cogen/rt/uring"
)

// driverMakers are the drivers there are, the preferred ones first.
var driverMakers = []driverMaker{
	{"uring", func(p *blocking.Pool) (driver.Driver, error) { return orNil(uring.NewDriver(uring.Config{Pool: p})) }},
	{"epoll", func(p *blocking.Pool) (driver.Driver, error) { return orNil(epoll.NewDriver(epoll.Config{Pool: p})) }},
	portableMaker,
}

// orNil makes a driver of a concrete type one of the interface, nil with an
// error.
func orNil[D driver.Driver](d D, err error) (driver.Driver, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// ringOf describes the ring of a driver that has one.
func ringOf(d driver.Driver) string {
	if d, ok := unchecked(d).(*uring.Driver); ok {
		return d.Info().String()
	}
	return ""
}
