//go:build !cogen_portable

package rt

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// Read reads at most len(b) bytes at the position of the file into b. At the end
// of the file it returns 0 and io.EOF.
func (f *File) Read(b []byte) (n int, err error) {
	r := fileReadFutures.Get().(*FileReadFuture)
	r.Init(f, b)
	if contextHere() != nil || !r.here.now() {
		block(r)
	}
	n, err = r.Result()
	fileReadFutures.Put(r)
	return n, err
}

// fileReadFutures keeps the futures of plain reads; see readFutures.
var fileReadFutures = sync.Pool{New: func() any { return new(FileReadFuture) }}

// ReadAsync is the async form of Read. The future owns b until it has finished.
func (f *File) ReadAsync(b []byte) *FileReadFuture {
	r := new(FileReadFuture)
	r.Init(f, b)
	return r
}

// FileReadFuture is a [File.Read] in progress.
type FileReadFuture struct{ here transferHere }

// Init makes r a read from f into b. It may be used again after it has finished.
func (r *FileReadFuture) Init(f *File, b []byte) { r.here.start(f, driver.Read, b) }

// Poll carries the read on.
func (r *FileReadFuture) Poll(cx *Context) bool { return r.here.poll(cx) }

// Result returns what [File.Read] returns.
func (r *FileReadFuture) Result() (n int, err error) { return r.here.n, r.here.err }

// Write writes b at the position of the file, or at its end if it was opened with
// O_APPEND: all of b unless it returns an error. What one call writes is not
// interleaved with what another does.
func (f *File) Write(b []byte) (n int, err error) {
	w := fileWriteFutures.Get().(*FileWriteFuture)
	w.Init(f, b)
	if contextHere() != nil || !w.here.now() {
		block(w)
	}
	n, err = w.Result()
	fileWriteFutures.Put(w)
	return n, err
}

var fileWriteFutures = sync.Pool{New: func() any { return new(FileWriteFuture) }}

// WriteAsync is the async form of Write. The future owns b until it has finished.
func (f *File) WriteAsync(b []byte) *FileWriteFuture {
	w := new(FileWriteFuture)
	w.Init(f, b)
	return w
}

// FileWriteFuture is a [File.Write] in progress.
type FileWriteFuture struct{ here transferHere }

// Init makes w a write of b to f. It may be used again after it has finished.
func (w *FileWriteFuture) Init(f *File, b []byte) { w.here.start(f, driver.Write, b) }

// Poll carries the write on.
func (w *FileWriteFuture) Poll(cx *Context) bool { return w.here.poll(cx) }

// Result returns what [File.Write] returns.
func (w *FileWriteFuture) Result() (n int, err error) { return w.here.n, w.here.err }

// transferHere reads some bytes or writes all, at the position of the file or as
// they come if it is a stream.
type transferHere struct {
	io   operation
	file *File
	left []byte // of a write
	n    int
	err  error
	done bool // there is nothing to do, or no way to do it
}

func (t *transferHere) start(f *File, code driver.Code, b []byte) {
	t.file, t.n, t.err, t.done = f, 0, nil, false
	if !f.ok() {
		t.err, t.done = os.ErrInvalid, true
		return
	}
	d := &f.sys.fd
	t.io.prepare(d, code, transfer(b))
	if f.sys.stream {
		t.io.place = inStream
	} else if f.appending && code == driver.Write {
		t.io.place = atEnd
	} else if f.sys.direct {
		t.io.place = atPositionDirect
	} else {
		t.io.place = atPosition
	}
	if code == driver.Write {
		t.left = b
	} else if len(b) == 0 {
		t.done = true
		if d.closed.Load() {
			t.fail(net.ErrClosed)
		}
	}
}

func (t *transferHere) side() *side {
	if t.io.code == driver.Write {
		return t.file.sys.writing()
	}
	return t.file.sys.position()
}

func (t *transferHere) poll(cx *Context) bool {
	if t.done {
		return true
	}
	s := t.side()
	for {
		ended, err := t.io.poll(cx, s)
		if !ended {
			return false
		}
		if err != nil {
			t.fail(err)
			return true
		}
		if !t.moved() {
			t.io.finish(s)
			return true
		}
	}
}

// now carries t out on an ordinary goroutine, which a regular file may block. It
// returns false if t must be polled for the rest: it has to wait for its turn,
// or for a stream.
func (t *transferHere) now() (done bool) {
	if t.done {
		return true
	}
	d, s := t.io.fd, t.side()
	if !s.take(offWorker) {
		return false
	}
	for {
		if err := d.usable(s); err != nil {
			t.io.finish(s)
			t.fail(err)
			return true
		}
		t.io.res = blocking.Perform(&driver.Op{FD: d.sys, Code: t.io.code, Buf: t.io.buf, File: t.io.place.args()})
		if t.io.res == -int32(unix.EAGAIN) && t.file.sys.stream {
			t.io.phase = phaseHanded
			return false
		}
		if !t.moved() {
			t.io.finish(s)
			return true
		}
	}
}

// moved accounts for an operation that has ended, and reports whether another
// one is needed, which it prepares.
func (t *transferHere) moved() (more bool) {
	n := int(t.io.res)
	switch {
	case n < 0:
		t.fail(syscall.Errno(-n))
	case t.io.code == driver.Read:
		t.n = n
		if n == 0 {
			t.err = io.EOF
		}
	default:
		t.n += n
		t.left = t.left[n:]
		if n > 0 && len(t.left) > 0 {
			t.io.buf = transfer(t.left)
			return true
		}
		if len(t.left) > 0 {
			t.fail(io.ErrUnexpectedEOF)
		}
	}
	t.left = nil
	return false
}

func (t *transferHere) fail(err error) {
	op := "read"
	if t.io.code == driver.Write {
		op = "write"
	}
	t.err = t.file.wrap(op, osError(err))
	t.left = nil
}

// osError translates the errors of package net that sides have.
func osError(err error) error {
	if err == net.ErrClosed {
		return os.ErrClosed
	}
	return err
}

// filePlace says where an operation of a file reads or writes.
type filePlace uint8

const (
	noFile     filePlace = iota // it is not one
	atPosition                  // of the file
	atPositionDirect
	atEnd
	inStream
)

// What drivers are told about a place. Nobody writes to it.
var (
	positionArgs = driver.FileArgs{Off: driver.CurrentPosition}
	directArgs   = driver.FileArgs{Off: driver.CurrentPosition, Flags: driver.Direct}
	endArgs      = driver.FileArgs{Off: driver.CurrentPosition, Flags: driver.Append}
	streamArgs   = driver.FileArgs{Off: driver.CurrentPosition, Flags: driver.Stream}
)

func (p filePlace) args() *driver.FileArgs {
	switch p {
	case atPosition:
		return &positionArgs
	case atPositionDirect:
		return &directArgs
	case atEnd:
		return &endArgs
	case inStream:
		return &streamArgs
	}
	return nil
}
