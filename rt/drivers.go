package rt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
	"github.com/cogen-go/cogen/rt/epoll"
	"github.com/cogen-go/cogen/rt/uring"
)

// A driverMaker makes a driver for the calling thread, with the pool for what
// blocks; without one the driver makes its own.
type driverMaker struct {
	name string
	make func(*blocking.Pool) (driver.Driver, error)
}

// driverMakers are the drivers there are, the preferred ones first.
var driverMakers = []driverMaker{
	{"uring", func(p *blocking.Pool) (driver.Driver, error) { return orNil(uring.NewDriver(uring.Config{Pool: p})) }},
	{"epoll", func(p *blocking.Pool) (driver.Driver, error) { return orNil(epoll.NewDriver(epoll.Config{Pool: p})) }},
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
	pool *blocking.Pool // shared by the drivers

	mu     sync.Mutex
	passed []string // why drivers that come first were passed over
}

func (c *driverChoice) make() (driver.Driver, error) {
	if c.want != "" {
		i := slices.IndexFunc(driverMakers, func(m driverMaker) bool { return m.name == c.want })
		if i < 0 {
			return nil, fmt.Errorf("unknown driver %q: want uring or epoll", c.want)
		}
		return driverMakers[i].make(c.pool)
	}
	var reasons []string
	for _, m := range driverMakers {
		drv, err := m.make(c.pool)
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
