package rt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// errAppending is the error of writing at an offset of a file that only grows.
var errAppending = errors.New("rt: invalid use of WriteAt on file opened with O_APPEND")

// ReadAt reads len(b) bytes at offset off into b. Like [os.File.ReadAt] it returns
// io.EOF if there are fewer.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	r := readAtFutures.Get().(*FileReadAtFuture)
	r.Init(f, b, off)
	carryOut(r)
	n, err = r.Result()
	readAtFutures.Put(r)
	return n, err
}

// readAtFutures keeps the futures of plain reads; see readFutures.
var readAtFutures = sync.Pool{New: func() any { return new(FileReadAtFuture) }}

// ReadAtAsync is the async form of ReadAt. The future owns b until it has finished.
func (f *File) ReadAtAsync(b []byte, off int64) *FileReadAtFuture {
	r := new(FileReadAtFuture)
	r.Init(f, b, off)
	return r
}

// FileReadAtFuture is a [File.ReadAt] in progress.
type FileReadAtFuture struct{ at transferAt }

// Init makes r a read from f into b. It may be used again after it has finished.
func (r *FileReadAtFuture) Init(f *File, b []byte, off int64) {
	r.at.start(f, driver.Read, b, off)
}

// Poll carries the read on.
func (r *FileReadAtFuture) Poll(cx *Context) bool { return r.at.poll(cx) }

func (r *FileReadAtFuture) now() { r.at.now() }

// Result returns what [File.ReadAt] returns.
func (r *FileReadAtFuture) Result() (n int, err error) { return r.at.n, r.at.err }

// WriteAt writes b at offset off, all of it unless it returns an error.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	w := writeAtFutures.Get().(*FileWriteAtFuture)
	w.Init(f, b, off)
	carryOut(w)
	n, err = w.Result()
	writeAtFutures.Put(w)
	return n, err
}

var writeAtFutures = sync.Pool{New: func() any { return new(FileWriteAtFuture) }}

// WriteAtAsync is the async form of WriteAt. The future owns b until it has finished.
func (f *File) WriteAtAsync(b []byte, off int64) *FileWriteAtFuture {
	w := new(FileWriteAtFuture)
	w.Init(f, b, off)
	return w
}

// FileWriteAtFuture is a [File.WriteAt] in progress.
type FileWriteAtFuture struct{ at transferAt }

// Init makes w a write of b to f. It may be used again after it has finished.
func (w *FileWriteAtFuture) Init(f *File, b []byte, off int64) {
	w.at.start(f, driver.Write, b, off)
}

// Poll carries the write on.
func (w *FileWriteAtFuture) Poll(cx *Context) bool { return w.at.poll(cx) }

func (w *FileWriteAtFuture) now() { w.at.now() }

// Result returns what [File.WriteAt] returns.
func (w *FileWriteAtFuture) Result() (n int, err error) { return w.at.n, w.at.err }

// transferAt reads or writes the whole of a buffer, with as many operations as it
// takes.
type transferAt struct {
	io   fileOp
	left []byte
	n    int
	err  error
	done bool // there is nothing to do, or no way to do it
}

func (t *transferAt) start(f *File, code driver.Code, b []byte, off int64) {
	t.left, t.n, t.err, t.done = b, 0, nil, false
	t.io.canceled = false
	op := "readat"
	if code == driver.Write {
		op = "writeat"
	}
	switch {
	case !f.ok():
		t.err = os.ErrInvalid
	case code == driver.Write && f.appending:
		t.err = errAppending
	case off < 0:
		t.err = &fs.PathError{Op: op, Path: f.name, Err: errors.New("negative offset")}
	}
	if t.err != nil || len(b) == 0 {
		t.done, t.left = true, nil
		return
	}
	t.next(f, code, off)
}

// next prepares an operation for what is left.
func (t *transferAt) next(f *File, code driver.Code, off int64) {
	canceled := t.io.canceled
	t.io.prepare(f, code, transfer(t.left))
	t.io.canceled = canceled
	t.io.args.Off, t.io.args.Flags = off, f.sys.flags()
	if !f.sys.hasOffsets() {
		t.io.refusal = syscall.ESPIPE
	}
}

func (t *transferAt) poll(cx *Context) bool {
	for !t.done {
		ended, err := t.io.poll(cx)
		if !ended {
			return false
		}
		t.moved(err)
	}
	return true
}

func (t *transferAt) now() {
	for !t.done {
		t.moved(t.io.here())
	}
}

// moved accounts for one operation, and prepares the next.
func (t *transferAt) moved(err error) {
	f, code := t.io.file, t.io.code
	n := int(t.io.op.Res)
	switch {
	case err != nil && code == driver.Read:
		t.err = f.wrap("read", err)
	case err != nil:
		t.err = f.wrap("write", err)
	case n == 0 && code == driver.Read:
		t.err = io.EOF
	case n == 0:
		t.err = f.wrap("write", io.ErrUnexpectedEOF)
	default:
		t.n += n
		t.left = t.left[n:]
		if len(t.left) > 0 {
			t.next(f, code, t.io.args.Off+int64(n))
			return
		}
	}
	t.done, t.left, t.io.file = true, nil, nil
}
