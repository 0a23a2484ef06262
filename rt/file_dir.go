package rt

import (
	"io/fs"
	"os"

	"github.com/cogen-go/cogen/rt/driver"
)

// ReadDir returns the next n entries of the directory, in the directory's order, or
// all that are left if n <= 0, as [os.File.ReadDir] does.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	return entriesOf(f.ReadDirAsync(n))
}

// ReadDirAsync is the async form of ReadDir.
func (f *File) ReadDirAsync(n int) *ReadDirFuture {
	d := new(ReadDirFuture)
	if !f.ok() {
		d.err, d.done = os.ErrInvalid, true
		return d
	}
	d.name = f.name
	d.io.prepare(f, driver.Call, nil)
	d.io.args.Func = func() { d.entries, d.err = f.readDir(n) }
	return d
}

// ReadDir returns the entries of the named directory, sorted by name, as
// [os.ReadDir] does.
func ReadDir(name string) ([]fs.DirEntry, error) {
	return entriesOf(ReadDirAsync(name))
}

// ReadDirAsync is the async form of ReadDir.
func ReadDirAsync(name string) *ReadDirFuture {
	d := &ReadDirFuture{name: name}
	d.io.call(func() { d.entries, d.err = readDirNamed(name) })
	return d
}

// ReadDirFuture is a [ReadDir] or [File.ReadDir] in progress.
type ReadDirFuture struct {
	io      fileOp
	name    string
	entries []fs.DirEntry
	err     error
	done    bool
}

// Poll carries the operation on.
func (d *ReadDirFuture) Poll(cx *Context) bool {
	if !d.done {
		ended, err := d.io.poll(cx)
		if !ended {
			return false
		}
		d.ended(err)
	}
	return true
}

func (d *ReadDirFuture) now() {
	if !d.done {
		d.ended(d.io.here())
	}
}

func (d *ReadDirFuture) ended(err error) {
	if err != nil { // else what the function has returned counts
		d.err = pathError("readdirent", d.name, err)
	}
	d.done, d.io.file, d.io.args.Func = true, nil, nil
}

// Result returns what the plain form returns.
func (d *ReadDirFuture) Result() ([]fs.DirEntry, error) { return d.entries, d.err }

func entriesOf(d *ReadDirFuture) ([]fs.DirEntry, error) {
	carryOut(d)
	return d.Result()
}
