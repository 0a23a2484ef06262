//go:build !cogen_portable

package rt

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// copyChunk is how much one call of the kernel copies, so that closing the file
// need not wait for more.
const copyChunk = 16 << 20

// copyFrom copies from the position of src to that of f in the kernel, all or at
// most limit bytes. It returns done false if the rest has to be copied in another
// way; the positions stand behind what was copied then, too.
func (f *File) copyFrom(src *File, limit int64) (n int64, done bool, err error) {
	if f.sys.stream || src.sys.stream || f.appending {
		return 0, false, nil
	}
	from, err := src.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, true, err
	}
	to, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, true, err
	}
	c := copying{dst: f, src: src, from: from, to: to}
	for limit < 0 || n < limit {
		chunk := int64(copyChunk)
		if limit >= 0 {
			chunk = min(chunk, limit-n)
		}
		var m int
		if m, err = c.copy(int(chunk)); m <= 0 {
			break
		}
		n += int64(m)
	}
	if n > 0 {
		src.Seek(c.from, io.SeekStart)
		f.Seek(c.to, io.SeekStart)
	}
	switch err {
	case nil:
		// Files such as those in /proc seem to be empty to the kernel's copying.
		return n, n > 0 || limit == 0, nil
	case syscall.EXDEV, syscall.EINVAL, syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPERM, syscall.EIO, syscall.EBADF, syscall.EISDIR, syscall.EOVERFLOW:
		return n, false, nil
	}
	return n, true, f.wrap("copy_file_range", err)
}

// copying is one copy in progress.
type copying struct {
	dst, src *File
	from, to int64
}

// copy copies at most size bytes; 0 is the end.
func (c *copying) copy(size int) (n int, err error) {
	if err := c.src.sys.fd.acquire(); err != nil {
		return 0, c.src.wrap("read", osError(err))
	}
	defer c.src.sys.drop()
	x := new(FileFuture)
	x.io.call(func() {
		for {
			n, err = unix.CopyFileRange(int(c.src.sys.fd.sys.Sysfd), &c.from, int(c.dst.sys.fd.sys.Sysfd), &c.to, size, 0)
			if err != unix.EINTR {
				return
			}
		}
	})
	x.io.file = c.dst
	if e := errorOf(x); e != nil {
		return 0, c.dst.wrap("write", e)
	}
	return n, err
}
