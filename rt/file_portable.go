//go:build !linux || cogen_portable

package rt

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cogen-go/cogen/rt/driver"
)

// Files on systems without descriptors of the runtime's own are those of package
// os, which is called on goroutines of the driver's pool, or for what may have to
// wait for others, such as a pipe, on one of the operation's own.

// fileDescriptor is the file of a File.
type fileDescriptor struct {
	os      *os.File
	regular bool // nothing is waited for but the disk
	size    int64
}

func (s *fileDescriptor) opened() bool          { return s.os != nil }
func (s *fileDescriptor) hold(*driver.Op) error { return nil }
func (s *fileDescriptor) drop()                 {}
func (s *fileDescriptor) sizeHint() int64       { return s.size }
func (s *fileDescriptor) hasOffsets() bool      { return true }

func (s *fileDescriptor) flags() uint32 { return 0 }

// maxTransfer bounds one transfer: longer ones do not fit op.Res.
const maxTransfer = 1 << 30

// transfer limits b to what one operation moves.
func transfer(b []byte) []byte { return b[:min(len(b), maxTransfer)] }

// fileOpSystem is the part of a fileOp that is this system's: the result.
type fileOpSystem struct {
	n    int
	info fs.FileInfo
	err  error
}

// launch makes op one that calls package os.
func (o *fileOp) launch() {
	o.op.Code = driver.Call
	o.sys = fileOpSystem{}
	if o.code != driver.Call {
		o.args.Func = o.perform
	}
}

func (o *fileOp) landed() error {
	if o.code == driver.Call {
		return nil
	}
	o.args.Func = nil
	if o.op.Res >= 0 {
		o.op.Res = int32(o.sys.n)
	}
	return bare(o.sys.err)
}

func (o *fileOp) arrived()   {}
func (o *fileOp) abandoned() {}

func (o *fileOp) fileInfo(string, []byte) fs.FileInfo { return o.sys.info }

// perform does what the code says.
func (o *fileOp) perform() {
	s, a := &o.sys, &o.args
	var path string
	if a.Path != "" {
		path = a.Path[:len(a.Path)-1]
	}
	switch o.code {
	case driver.Read:
		s.n, s.err = o.file.sys.os.ReadAt(o.op.Buf, a.Off)
		if s.err == io.EOF {
			s.err = nil // 0 bytes say so
		}
	case driver.Write:
		s.n, s.err = o.file.sys.os.WriteAt(o.op.Buf, a.Off)
	case driver.Stat:
		switch {
		case o.file != nil:
			s.info, s.err = o.file.sys.os.Stat()
		case a.Flags&driver.NoFollow != 0:
			s.info, s.err = os.Lstat(path)
		default:
			s.info, s.err = os.Stat(path)
		}
	case driver.Sync:
		s.err = o.file.sys.os.Sync()
	case driver.Truncate:
		s.err = o.file.sys.os.Truncate(a.Len)
	case driver.Rename:
		s.err = os.Rename(path, a.NewPath[:len(a.NewPath)-1])
	case driver.Unlink:
		s.err = os.Remove(path) // a directory, too
	case driver.Mkdir:
		s.err = os.Mkdir(path, permissions(a.Mode))
	default:
		s.err = errors.ErrUnsupported
	}
}

// permissions is the reverse of modeBits.
func permissions(m uint32) fs.FileMode {
	perm := fs.FileMode(m & 0o777)
	for _, b := range [...]fs.FileMode{fs.ModeSetuid, fs.ModeSetgid, fs.ModeSticky} {
		if m&modeBits(b) != 0 {
			perm |= b
		}
	}
	return perm
}

// bare is an error of package os without what this package adds again.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// newFile makes a File of one of package os.
func newFile(file *os.File, name string, flag int) *File {
	f := &File{name: name, appending: flag&os.O_APPEND != 0}
	f.sys.os = file
	if info, err := file.Stat(); err == nil {
		f.sys.regular = info.Mode().IsRegular() || info.IsDir()
		f.sys.size = info.Size()
	}
	return f
}

// OpenFuture is an [OpenFile] in progress.
type OpenFuture struct {
	io      fileOp
	patient *BlockingFuture // opens what may have to wait
	waits   bool
	name    string
	flag    int
	perm    fs.FileMode
	file    *File
	err     error
}

// Init makes f an opening. It may be used again after it has finished.
func (f *OpenFuture) Init(name string, flag int, perm fs.FileMode) {
	*f = OpenFuture{name: name, flag: flag, perm: perm}
	f.io.call(func() {
		if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			f.waits = true
			return
		}
		f.now()
	})
}

// Poll carries the opening on.
func (f *OpenFuture) Poll(cx *Context) bool {
	if f.patient == nil {
		ended, err := f.io.poll(cx)
		if !ended {
			return false
		}
		f.io.args.Func = nil
		if err != nil {
			f.err = pathError("open", f.name, err)
		}
		if !f.waits {
			return true
		}
		f.patient = new(BlockingFuture)
		f.patient.Init(f.now)
	}
	if !f.patient.Poll(cx) {
		return false
	}
	f.patient = nil
	return true
}

func (f *OpenFuture) now() {
	file, err := os.OpenFile(f.name, f.flag, f.perm)
	if err != nil {
		f.err = err
		return
	}
	f.file = newFile(file, f.name, f.flag)
}

func (f *File) readDir(n int) ([]fs.DirEntry, error) { return f.sys.os.ReadDir(n) }

func readDirNamed(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// copyFrom would copy without moving bytes through the process.
func (f *File) copyFrom(*File, int64) (n int64, done bool, err error) { return 0, false, nil }

// SameFile reports whether a and b, both from this package, describe the same
// file.
func SameFile(a, b fs.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }
