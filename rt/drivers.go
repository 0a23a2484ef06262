package rt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
	"github.com/cogen-go/cogen/rt/portable"
)

// A driverMaker makes a driver for the calling thread, with the pool for what
// blocks; without one the driver makes its own.
type driverMaker struct {
	name string
	make func(*blocking.Pool) (driver.Driver, error)
}

// portableMaker makes the driver that works on every system.
var portableMaker = driverMaker{"portable", func(p *blocking.Pool) (driver.Driver, error) {
	return portable.NewDriver(portable.Config{Pool: p}), nil
}}

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
			return nil, fmt.Errorf("unknown driver %q: want %s", c.want, driverNames())
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

// driverNames lists the names of the drivers there are.
func driverNames() string {
	names := make([]string, len(driverMakers))
	for i, m := range driverMakers {
		names[i] = m.name
	}
	return strings.Join(names, " or ")
}
