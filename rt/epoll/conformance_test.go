//go:build linux

package epoll

import (
	"testing"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/drivertest"
)

func TestConformance(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) driver.Driver {
		d, err := NewDriver(Config{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}
