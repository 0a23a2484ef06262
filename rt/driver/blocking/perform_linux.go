package blocking

import (
	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Perform makes op's system call, again as long as signals interrupt it, and
// returns the result.
func Perform(op *driver.Op) int32 {
	if op.Code == driver.Call {
		op.File.Func()
		return 0
	}
	for {
		n, err := call(op)
		switch {
		case err == nil:
			return int32(n)
		case err != unix.EINTR:
			return -int32(err.(unix.Errno))
		case op.Code == driver.Close:
			return 0 // on Linux the descriptor is gone all the same
		}
	}
}

// maxTransfer is the most that the kernel moves in one call.
const maxTransfer = 0x7ffff000

func call(op *driver.Op) (int, error) {
	fd, a := int(op.FD.Sysfd), op.File
	buf := op.Buf[:min(len(op.Buf), maxTransfer)]
	switch op.Code {
	case driver.Read:
		if a.Off == driver.CurrentPosition {
			return unix.Read(fd, buf)
		}
		return unix.Pread(fd, buf, a.Off)
	case driver.Write:
		if a.Off == driver.CurrentPosition {
			return unix.Write(fd, buf)
		}
		return unix.Pwrite(fd, buf, a.Off)
	case driver.Open:
		return unix.Openat(unix.AT_FDCWD, name(a.Path), int(a.Flags)|unix.O_CLOEXEC, a.Mode)
	case driver.Close:
		return 0, unix.Close(fd)
	case driver.Stat:
		return 0, stat(fd, a, buf)
	case driver.Sync:
		if a.Flags&driver.DataOnly != 0 {
			return 0, unix.Fdatasync(fd)
		}
		return 0, unix.Fsync(fd)
	case driver.Truncate:
		return 0, unix.Ftruncate(fd, a.Len)
	case driver.Allocate:
		return 0, unix.Fallocate(fd, a.Mode, a.Off, a.Len)
	case driver.Rename:
		return 0, unix.Renameat(unix.AT_FDCWD, name(a.Path), unix.AT_FDCWD, name(a.NewPath))
	case driver.Unlink:
		flags := 0
		if a.Flags&driver.Directory != 0 {
			flags = unix.AT_REMOVEDIR
		}
		return 0, unix.Unlinkat(unix.AT_FDCWD, name(a.Path), flags)
	case driver.Mkdir:
		return 0, unix.Mkdirat(unix.AT_FDCWD, name(a.Path), a.Mode)
	}
	return 0, unix.EINVAL
}

func stat(fd int, a *driver.FileArgs, buf []byte) error {
	var st unix.Statx_t
	var err error
	switch {
	case a.Path == "":
		err = unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, &st)
	case a.Flags&driver.NoFollow != 0:
		err = unix.Statx(unix.AT_FDCWD, name(a.Path), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &st)
	default:
		err = unix.Statx(unix.AT_FDCWD, name(a.Path), 0, unix.STATX_BASIC_STATS, &st)
	}
	if err == nil {
		copy(buf, bytesOf(&st))
	}
	return err
}

// name is path without the 0 byte, which package unix adds itself.
func name(path string) string { return path[:len(path)-1] }
