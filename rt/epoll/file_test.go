//go:build linux

package epoll

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

type nobody struct{}

func (nobody) Complete(*driver.Op) {}

// TestReadsInMemory has Submit end a read of what is in memory, and hand over one
// that would have to wait for the disk.
func TestReadsInMemory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := open(t, Config{})
	defer d.Close()
	for _, flags := range []uint32{0, driver.Direct} {
		op := &driver.Op{Code: driver.Read, FD: driver.FD{ID: 1, Sysfd: int32(f.Fd())}, Buf: make([]byte, 4096),
			File: &driver.FileArgs{Flags: flags}, Owner: nobody{}}
		ended := d.Submit(op)
		if flags == 0 && !ended && op.State != handed {
			t.Error("a read is neither ended nor handed over")
		}
		if flags == driver.Direct && ended {
			t.Error("a direct read was carried out on the driver's thread")
		}
		for d.InFlight() > 0 {
			d.Wait(-1)
		}
		if op.Res != 4096 {
			t.Errorf("flags %d: result %d (%v)", flags, op.Res, unix.Errno(-op.Res))
		}
	}
}
