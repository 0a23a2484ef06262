package rt

import (
	"os"

	"github.com/cogen-go/cogen/rt/driver"
)

// FileFuture is an operation on a file or on names that returns an error only.
type FileFuture struct {
	io   fileOp
	op   string // for errors
	file *File  // nil for operations on names
	name string // of those
	err  error
	done bool
}

// Poll carries the operation on.
func (f *FileFuture) Poll(cx *Context) bool {
	if !f.done {
		ended, err := f.io.poll(cx)
		if !ended {
			return false
		}
		f.ended(err)
	}
	return true
}

func (f *FileFuture) now() {
	if !f.done {
		f.ended(f.io.here())
	}
}

func (f *FileFuture) ended(err error) {
	switch {
	case err == nil: // or a function that was called has set it
	case f.file != nil:
		f.err = f.file.wrap(f.op, err)
	default:
		f.err = pathError(f.op, f.name, err)
	}
	f.done = true
	f.io.args.Func = nil
}

// Result returns what the plain form returns.
func (f *FileFuture) Result() error { return f.err }

// onFile prepares an operation on an open file. Its arguments can still be set.
func onFile(f *File, op string, code driver.Code) *FileFuture {
	x := &FileFuture{op: op, file: f}
	if !f.ok() {
		x.err, x.done = os.ErrInvalid, true
		return x
	}
	x.io.prepare(f, code, nil)
	return x
}

// errorOf is the plain form of an operation.
func errorOf(f *FileFuture) error {
	carryOut(f)
	return f.err
}

// Sync brings what was written to stable storage.
func (f *File) Sync() error { return errorOf(f.SyncAsync()) }

// SyncAsync is the async form of Sync.
func (f *File) SyncAsync() *FileFuture { return onFile(f, "sync", driver.Sync) }

// SyncData is Sync without attributes that are not needed to read the data
// back, such as times (fdatasync).
func (f *File) SyncData() error { return errorOf(f.SyncDataAsync()) }

// SyncDataAsync is the async form of SyncData.
func (f *File) SyncDataAsync() *FileFuture {
	x := onFile(f, "sync", driver.Sync)
	x.io.args.Flags = driver.DataOnly
	return x
}

// Truncate sets the size of the file, in bytes. The position stays.
func (f *File) Truncate(size int64) error { return errorOf(f.TruncateAsync(size)) }

// TruncateAsync is the async form of Truncate.
func (f *File) TruncateAsync(size int64) *FileFuture {
	x := onFile(f, "truncate", driver.Truncate)
	x.io.args.Len = size
	return x
}

// Allocate makes room for size bytes at offset off, so that writing them cannot
// fail for lack of space. The file grows if it is shorter. File systems that
// cannot do it return errors.ErrUnsupported.
func (f *File) Allocate(off, size int64) error { return errorOf(f.AllocateAsync(off, size)) }

// AllocateAsync is the async form of Allocate.
func (f *File) AllocateAsync(off, size int64) *FileFuture {
	x := onFile(f, "allocate", driver.Allocate)
	x.io.args.Off, x.io.args.Len = off, size
	return x
}
