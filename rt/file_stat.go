package rt

import (
	"io/fs"
	"os"

	"github.com/cogen-go/cogen/rt/driver"
)

// Stat describes the named file, as [os.Stat] does.
//
// [os.SameFile] does not know the values; compare them with [SameFile].
func Stat(name string) (fs.FileInfo, error) { return infoOf(StatAsync(name)) }

// StatAsync is the async form of Stat.
func StatAsync(name string) *StatFuture {
	s := new(StatFuture)
	s.init("stat", name, 0)
	return s
}

// Lstat is Stat that does not follow a symbolic link, as [os.Lstat] does not.
func Lstat(name string) (fs.FileInfo, error) { return infoOf(LstatAsync(name)) }

// LstatAsync is the async form of Lstat.
func LstatAsync(name string) *StatFuture {
	s := new(StatFuture)
	s.init("lstat", name, driver.NoFollow)
	return s
}

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) { return infoOf(f.StatAsync()) }

// StatAsync is the async form of Stat.
func (f *File) StatAsync() *StatFuture {
	s := new(StatFuture)
	s.of(f)
	return s
}

// StatFuture is a [Stat], [Lstat] or [File.Stat] in progress.
type StatFuture struct {
	io   fileOp
	op   string
	name string
	file *File
	buf  [driver.StatSize]byte
	info fs.FileInfo
	err  error
	done bool
}

func (s *StatFuture) init(op, name string, flags uint32) {
	s.op, s.name, s.file, s.info, s.err, s.done = op, name, nil, nil, nil, false
	s.io.prepare(nil, driver.Stat, s.buf[:])
	s.io.setPath(name)
	s.io.args.Flags = flags
}

func (s *StatFuture) of(f *File) {
	s.op, s.file, s.info, s.err, s.done = "stat", f, nil, nil, false
	if !f.ok() {
		s.err, s.done = os.ErrInvalid, true
		return
	}
	s.name = f.name
	s.io.prepare(f, driver.Stat, s.buf[:])
}

// Poll carries the operation on.
func (s *StatFuture) Poll(cx *Context) bool {
	if !s.done {
		ended, err := s.io.poll(cx)
		if !ended {
			return false
		}
		s.ended(err)
	}
	return true
}

func (s *StatFuture) now() {
	if !s.done {
		s.ended(s.io.here())
	}
}

func (s *StatFuture) ended(err error) {
	s.done, s.file, s.io.file = true, nil, nil
	if err != nil {
		s.err = pathError(s.op, s.name, err)
		return
	}
	s.info = s.io.fileInfo(s.name, s.buf[:])
}

// Result returns what the plain form returns.
func (s *StatFuture) Result() (fs.FileInfo, error) { return s.info, s.err }

// infoOf is the plain form of s.
func infoOf(s *StatFuture) (fs.FileInfo, error) {
	carryOut(s)
	return s.Result()
}
