//go:build linux

package epoll

import (
	"testing"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/drivertest"
)

func open(t testing.TB, cfg Config) *Driver {
	t.Helper()
	d, err := NewDriver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestConformance(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) driver.Driver { return open(t, Config{}) })
}

// TestConformanceSmall has the set hold back more than it reports.
func TestConformanceSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("the same again with other settings")
	}
	drivertest.Run(t, func(t *testing.T) driver.Driver { return open(t, Config{Events: 1}) })
}

// TestConformanceCoarse does without epoll_pwait2.
func TestConformanceCoarse(t *testing.T) {
	if testing.Short() {
		t.Skip("the same again with other settings")
	}
	drivertest.Run(t, func(t *testing.T) driver.Driver {
		d := open(t, Config{})
		d.coarse = true
		return d
	})
}
