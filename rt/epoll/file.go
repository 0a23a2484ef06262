//go:build linux

package epoll

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// An epoll set says nothing about files: they are always ready, and reading them
// blocks. So operations on them go to a pool of threads, except for reads of what
// is in memory, which is tried first; a pool costs a hundred times as much.

// needsFile reports whether op is one of the operations on files.
func needsFile(op *driver.Op) bool { return op.Code >= driver.Read }

// streams reports whether op is on something that an epoll set does know about.
func streams(op *driver.Op) bool {
	return op.File.Flags&driver.Stream != 0 && (op.Code == driver.Read || op.Code == driver.Write)
}

// maxCached bounds how much is copied from memory on the driver's thread at once.
const maxCached = 256 << 10

// startFile is the part of Submit for operations that may block.
func (d *Driver) startFile(op *driver.Op) (ended bool) {
	if d.closed {
		op.Res = -int32(unix.ECANCELED)
		d.count.Completed++
		return true
	}
	// The kernel would let a direct read wait for the disk even so.
	if op.Code == driver.Read && len(op.Buf) > 0 && op.File.Flags&driver.Direct == 0 {
		d.count.Syscalls++
		n, errno := readCached(op.FD.Sysfd, op.Buf[:min(len(op.Buf), maxCached)], op.File.Off)
		if errno == 0 {
			op.Res = int32(n)
			d.count.Completed++
			return true
		}
		// Whatever the error is, an ordinary call will say it.
	}
	op.State = handed
	d.count.Syscalls++
	d.box.Start(op)
	return false
}

// takeFiles moves operations that the pool has ended to those to deliver.
func (d *Driver) takeFiles() {
	for op := d.box.Take(); op != nil; {
		next := op.Next
		d.settle(op)
		op = next
	}
}

// cancelFile ends op unless the pool has begun with it.
func (d *Driver) cancelFile(op *driver.Op) {
	d.count.Cancelled++
	if d.box.Cancel(op) {
		op.Res = -int32(unix.ECANCELED)
		d.settle(op)
	}
}

// settle adds op, which has its result, to the operations to deliver.
func (d *Driver) settle(op *driver.Op) {
	op.State = ended
	d.done.push(op)
	d.undelivered++
}
