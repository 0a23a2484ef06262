//go:build !cogen_portable

package rt

import (
	"io"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// fileDescriptor is the descriptor of a File. Operations at offsets hold a
// reference to it each. Those at the position of the file, which the kernel keeps
// but does not guard on a ring, take the side fd.rd one at a time. A stream, which
// has no position, has both sides.
type fileDescriptor struct {
	fd     netFD
	stream bool
	direct bool  // opened with O_DIRECT
	pipe   bool  // a stream that is a named pipe
	flows  bool  // a stream that has no offsets
	size   int64 // when it was opened
	dir    dirReader
	leak   runtime.Cleanup // closes the descriptor of a file that nobody closes
}

func (s *fileDescriptor) opened() bool { return s.fd.sys.ID != 0 }

// hold keeps the descriptor open for op.
func (s *fileDescriptor) hold(op *driver.Op) error {
	if err := s.fd.acquire(); err != nil {
		return os.ErrClosed
	}
	op.FD = s.fd.sys
	return nil
}

func (s *fileDescriptor) drop() { s.fd.drop() }

// position is the side for reads and seeks.
func (s *fileDescriptor) position() *side { return &s.fd.rd }

// writing is the side for writes.
func (s *fileDescriptor) writing() *side {
	if s.stream {
		return &s.fd.wr
	}
	return &s.fd.rd
}

// closeUnclaimed closes a descriptor that was opened for somebody who has gone.
func closeUnclaimed(fd int32) { closeSocket(fd) }

// An unclaimed descriptor has been opened, and is closed if it becomes unreachable
// before somebody takes it: the future that has it may never be polled again.
type unclaimed struct {
	fd   int32
	leak runtime.Cleanup
}

func newUnclaimed(fd int32) *unclaimed {
	u := &unclaimed{fd: fd}
	u.leak = runtime.AddCleanup(u, closeUnclaimed, fd)
	return u
}

func (u *unclaimed) take() {
	u.leak.Stop()
	runtime.KeepAlive(u)
}

// newFile makes a File of a descriptor that has just been opened, in the
// non-blocking mode if it says so.
func newFile(fd int32, name string, flag int, nonblocking bool) *File {
	f := &File{name: name, appending: flag&os.O_APPEND != 0}
	f.sys.fd.opened(fd, 0)
	f.sys.direct = flag&unix.O_DIRECT != 0
	var st unix.Stat_t
	if unix.Fstat(int(fd), &st) == nil {
		f.sys.size = st.Size
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFIFO:
			f.sys.stream, f.sys.pipe = true, true
		case unix.S_IFCHR, unix.S_IFSOCK:
			f.sys.stream = true
		}
	}
	if f.sys.stream {
		_, err := unix.Seek(int(fd), 0, io.SeekCurrent)
		f.sys.flows = err == unix.ESPIPE
	}
	asked := flag&unix.O_NONBLOCK != 0
	if is, wanted := nonblocking || asked, f.sys.stream || asked; is != wanted {
		unix.SetNonblock(int(fd), wanted)
	}
	f.sys.leak = runtime.AddCleanup(f, closeUnclaimed, fd)
	return f
}

// sizeHint is the size that the file had when it was opened.
func (s *fileDescriptor) sizeHint() int64 { return s.size }

// flags are those of reads and writes at offsets.
func (s *fileDescriptor) flags() uint32 {
	if s.direct {
		return driver.Direct
	}
	return 0
}

// hasOffsets reports whether reading and writing at offsets makes sense. A ring
// would not say so, and read from wherever a stream is.
func (s *fileDescriptor) hasOffsets() bool { return !s.flows }

// fileOpSystem is the part of a fileOp that is this system's.
type fileOpSystem struct {
	opened *unclaimed // the result of an Open that had to wait
}

func (o *fileOp) launch() { o.op.Code = o.code }

func (o *fileOp) landed() error {
	if u := o.sys.opened; u != nil {
		u.take()
		o.sys.opened = nil
	}
	return nil
}

func (o *fileOp) arrived() {
	if o.code == driver.Open && o.op.Res >= 0 {
		o.sys.opened = newUnclaimed(o.op.Res)
	}
}

func (o *fileOp) abandoned() {
	if o.code == driver.Open && o.op.Res >= 0 {
		closeUnclaimed(o.op.Res)
	}
}

func (o *fileOp) fileInfo(name string, statx []byte) fs.FileInfo { return newFileInfo(name, statx) }
