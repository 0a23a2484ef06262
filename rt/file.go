package rt

import (
	"io"
	"io/fs"
	"syscall"
)

// File is an open file. It behaves as an [os.File] does: the same errors, the
// same position shared by Read, Write and Seek, usable by many tasks and
// goroutines at once.
//
// Each method that may have to wait has a companion: ReadAtAsync for ReadAt, and so
// on. The plain form suspends the task that calls it, or blocks the goroutine.
// Reads and writes at offsets go on side by side; those at the position take turns.
//
// A File holds a descriptor until it is closed, or no longer reachable.
type File struct {
	name string
	// appending is set if it was opened with O_APPEND.
	appending bool
	sys       fileDescriptor
}

var (
	_ fs.File        = (*File)(nil)
	_ fs.ReadDirFile = (*File)(nil)
	_ io.Reader      = (*File)(nil)
	_ io.Writer      = (*File)(nil)
	_ io.Seeker      = (*File)(nil)
	_ io.ReaderAt    = (*File)(nil)
	_ io.WriterAt    = (*File)(nil)
	_ io.ReaderFrom  = (*File)(nil)
	_ io.WriterTo    = (*File)(nil)
	_ io.Closer      = (*File)(nil)
)

// Name returns the name that the file was opened with.
func (f *File) Name() string { return f.name }

// ok reports whether f is an open file or was one. Others fail with os.ErrInvalid.
func (f *File) ok() bool { return f != nil && f.sys.opened() }

// wrap makes an error of an operation on f one as package os has it.
func (f *File) wrap(op string, err error) error {
	switch err {
	case nil, io.EOF:
		return err
	}
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// pathError is wrap for operations on names.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// modeBits converts permissions to those of the system.
func modeBits(perm fs.FileMode) (m uint32) {
	m = uint32(perm.Perm())
	if perm&fs.ModeSetuid != 0 {
		m |= syscall.S_ISUID
	}
	if perm&fs.ModeSetgid != 0 {
		m |= syscall.S_ISGID
	}
	if perm&fs.ModeSticky != 0 {
		m |= syscall.S_ISVTX
	}
	return m
}
