//go:build linux

package uring

import (
	"io"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Operations on files are requests to the ring like others: what is in memory is
// read and written at once, and what has to wait does so in the kernel, on
// threads of the ring's own where there is no other way. Those that no ring
// can do, and those that the ring of this kernel cannot do, go to a pool of threads.

// fileOpcodes are the ring's operations for those of package driver.
var fileOpcodes = [...]Opcode{
	0:                             OpRead, // driver.Read itself
	driver.Write - driver.Read:    OpWrite,
	driver.Open - driver.Read:     OpOpenat,
	driver.Stat - driver.Read:     OpStatx,
	driver.Sync - driver.Read:     OpFsync,
	driver.Truncate - driver.Read: OpFtruncate,
	driver.Allocate - driver.Read: OpFallocate,
	driver.Rename - driver.Read:   OpRenameat,
	driver.Unlink - driver.Read:   OpUnlinkat,
	driver.Mkdir - driver.Read:    OpMkdirat,
}

// needsThread reports whether op has to go to the pool.
func (d *Driver) needsThread(op *driver.Op) bool {
	if op.Code < driver.Read {
		return false
	}
	i := int(op.Code - driver.Read)
	return i >= len(fileOpcodes) || !d.ring.Supports(fileOpcodes[i])
}

// prepFile fills the entry for an operation on a file.
func (e *SQE) prepFile(op *driver.Op) {
	fd, a := op.FD.Sysfd, op.File
	switch op.Code {
	case driver.Read:
		e.PrepRead(fd, op.Buf, a.Off)
	case driver.Write:
		e.PrepWrite(fd, op.Buf, a.Off)
	case driver.Open:
		e.PrepOpenat(unix.AT_FDCWD, pathPointer(a.Path), a.Flags|unix.O_CLOEXEC|unix.O_LARGEFILE, a.Mode)
	case driver.Stat:
		st := statxPointer(op.Buf)
		switch {
		case a.Path == "":
			e.PrepStatx(fd, &emptyPath, unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, st)
		case a.Flags&driver.NoFollow != 0:
			e.PrepStatx(unix.AT_FDCWD, pathPointer(a.Path), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, st)
		default:
			e.PrepStatx(unix.AT_FDCWD, pathPointer(a.Path), 0, unix.STATX_BASIC_STATS, st)
		}
	case driver.Sync:
		flags := uint32(0)
		if a.Flags&driver.DataOnly != 0 {
			flags = FsyncDatasync
		}
		e.PrepFsync(fd, flags)
	case driver.Truncate:
		e.PrepFtruncate(fd, a.Len)
	case driver.Allocate:
		e.PrepFallocate(fd, a.Mode, a.Off, a.Len)
	case driver.Rename:
		e.PrepRenameat(unix.AT_FDCWD, pathPointer(a.Path), unix.AT_FDCWD, pathPointer(a.NewPath), 0)
	case driver.Unlink:
		flags := uint32(0)
		if a.Flags&driver.Directory != 0 {
			flags = unix.AT_REMOVEDIR
		}
		e.PrepUnlinkat(unix.AT_FDCWD, pathPointer(a.Path), flags)
	case driver.Mkdir:
		e.PrepMkdirat(unix.AT_FDCWD, pathPointer(a.Path), a.Mode)
	}
}

// tracked reports whether op is at a position that the driver keeps up to date.
//
// The ring has operations at the position of a file, but when one moves some bytes
// and then fails, for lack of space say, it reports the bytes and leaves the
// position where it was (Linux 6.18). So the driver asks for the position, and
// moves it by what the operation has moved; nothing else changes it meanwhile (see
// driver.CurrentPosition). Where the kernel decides alone where bytes go, in
// streams and at the end of files that are only appended to, it is left to it.
func tracked(op *driver.Op) bool {
	return (op.Code == driver.Read || op.Code == driver.Write) && op.File.Off == driver.CurrentPosition &&
		op.File.Flags&(driver.Stream|driver.Append) == 0
}

// seek makes e operate at the position of op's file. If that has none the kernel
// will see.
func (d *Driver) seek(e *SQE, op *driver.Op) {
	d.seeks++
	if pos, err := unix.Seek(int(op.FD.Sysfd), 0, io.SeekCurrent); err == nil {
		e.Off = uint64(pos)
	}
}

// advance moves the position behind what op has moved.
func (d *Driver) advance(op *driver.Op) {
	d.seeks++
	unix.Seek(int(op.FD.Sysfd), int64(op.Res), io.SeekCurrent)
}

// emptyPath is the path of nothing.
var emptyPath byte

// takeHanded ends the operations that the pool has carried out, and returns how
// many there were.
func (d *Driver) takeHanded() int {
	n := 0
	for op := d.box.Take(); op != nil; n++ {
		next := op.Next
		op.Next = nil
		d.endHanded(op, op.Res)
		op = next
	}
	return n
}

// cancelHanded takes op back from the pool, if that has not begun with it, and
// ends it in the next turn.
func (d *Driver) cancelHanded(op *driver.Op) {
	if d.box.Cancel(op) {
		op.Res = -int32(unix.ECANCELED)
		d.box.Return(op)
	}
}

func (d *Driver) endHanded(op *driver.Op, res int32) {
	d.inFlight--
	d.completed++
	op.State = 0
	op.Res = res
	op.Owner.Complete(op)
}
