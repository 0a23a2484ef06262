package rt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/epoll"
	"github.com/cogen-go/cogen/rt/uring"
)

// A driverMaker makes a driver for the calling thread.
type driverMaker struct {
	name string
	make func() (driver.Driver, error)
}

// driverMakers are the drivers there are, the preferred ones first.
var driverMakers = []driverMaker{
	{"uring", func() (driver.Driver, error) { return orNil(uring.NewDriver(uring.Config{})) }},
	{"epoll", func() (driver.Driver, error) { return orNil(epoll.NewDriver(epoll.Config{})) }},
}

// orNil makes a driver of a concrete type one of the interface, nil with an
// error.
func orNil[D driver.Driver](d D, err error) (driver.Driver, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// A driverChoice finds a driver for each worker of a runtime: the one that was
// asked for, or else the first that works.
type driverChoice struct {
	want string

	mu     sync.Mutex
	passed []string // why drivers that come first were passed over
}

func (c *driverChoice) make() (driver.Driver, error) {
	if c.want != "" {
		i := slices.IndexFunc(driverMakers, func(m driverMaker) bool { return m.name == c.want })
		if i < 0 {
			return nil, fmt.Errorf("unknown driver %q: want uring or epoll", c.want)
		}
		return driverMakers[i].make()
	}
	var reasons []string
	for _, m := range driverMakers {
		drv, err := m.make()
		if err == nil {
			c.note(reasons)
			return drv, nil
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", m.name, err))
	}
	return nil, fmt.Errorf("no driver works: %s", strings.Join(reasons, "; "))
}

// note keeps the reasons for [Features].
func (c *driverChoice) note(reasons []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range reasons {
		if !slices.Contains(c.passed, s) {
			c.passed = append(c.passed, s)
		}
	}
}
