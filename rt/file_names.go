package rt

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// onName prepares an operation on a name.
func onName(op, name string, code driver.Code) *FileFuture {
	x := &FileFuture{op: op, name: name}
	x.io.prepare(nil, code, nil)
	x.io.setPath(name)
	return x
}

// byCalling prepares an operation that a function of package os does, on a
// goroutine: one hand-over for all of its system calls.
func byCalling(op, name string, f func() error) *FileFuture {
	x := &FileFuture{op: op, name: name}
	x.io.call(func() { x.err = f() })
	return x
}

// Mkdir makes a directory with the permissions perm, less the umask, as
// [os.Mkdir] does.
func Mkdir(name string, perm fs.FileMode) error { return errorOf(MkdirAsync(name, perm)) }

// MkdirAsync is the async form of Mkdir.
func MkdirAsync(name string, perm fs.FileMode) *FileFuture {
	x := onName("mkdir", name, driver.Mkdir)
	x.io.args.Mode = modeBits(perm)
	return x
}

// MkdirAll makes a directory and those above it that do not exist, as
// [os.MkdirAll] does.
func MkdirAll(path string, perm fs.FileMode) error { return errorOf(MkdirAllAsync(path, perm)) }

// MkdirAllAsync is the async form of MkdirAll.
func MkdirAllAsync(path string, perm fs.FileMode) *FileFuture {
	return byCalling("mkdir", path, func() error { return os.MkdirAll(path, perm) })
}

// Remove removes a file or an empty directory, as [os.Remove] does. It does so in code that
// has been cancelled, too, since it is what such code does before it ends.
func Remove(name string) error {
	f := RemoveAsync(name)
	carryOut(f)
	return f.Result()
}

// RemoveAsync is the async form of Remove.
func RemoveAsync(name string) *RemoveFuture {
	f := new(RemoveFuture)
	f.Init(name)
	return f
}

// RemoveFuture is a [Remove] in progress.
type RemoveFuture struct {
	io    fileOp
	name  string
	first error // of unlinking
	err   error
}

// Init makes f the removal of name. It may be used again after it has finished.
func (f *RemoveFuture) Init(name string) {
	f.name, f.first, f.err = name, nil, nil
	f.io.steady = true
	f.io.prepare(nil, driver.Unlink, nil)
	f.io.setPath(name)
}

// Poll carries the removal on.
func (f *RemoveFuture) Poll(cx *Context) bool {
	for {
		ended, err := f.io.poll(cx)
		if !ended {
			return false
		}
		if f.ended(err) {
			return true
		}
	}
}

func (f *RemoveFuture) now() {
	for !f.ended(f.io.here()) {
	}
}

// ended looks at an attempt. If the name could not be unlinked it may be a
// directory's, and f is to be carried on.
func (f *RemoveFuture) ended(err error) bool {
	switch {
	case err == nil:
	case f.first == nil && f.io.refusal == nil:
		f.first = err
		f.io.args.Flags = driver.Directory
		return false
	case err == syscall.ENOTDIR && f.first != nil:
		f.err = pathError("remove", f.name, f.first)
	default:
		f.err = pathError("remove", f.name, err)
	}
	return true
}

// Result returns what [Remove] returns.
func (f *RemoveFuture) Result() error { return f.err }

// Rename gives a file another name, as [os.Rename] does. The error is an
// [*os.LinkError].
func Rename(oldpath, newpath string) error {
	f := RenameAsync(oldpath, newpath)
	carryOut(f)
	return f.Result()
}

// RenameAsync is the async form of Rename.
func RenameAsync(oldpath, newpath string) *RenameFuture {
	f := new(RenameFuture)
	f.Init(oldpath, newpath)
	return f
}

// RenameFuture is a [Rename] in progress.
type RenameFuture struct {
	stat     StatFuture
	io       fileOp
	old, new string
	phase    renamePhase
	err      error
}

type renamePhase uint8

const (
	renameLooking renamePhase = iota // is newpath a directory?
	renameMoving
	renameCalling // it is: package os knows what to do
)

// Init makes f a renaming. It may be used again after it has finished.
func (f *RenameFuture) Init(oldpath, newpath string) {
	f.old, f.new, f.phase, f.err = oldpath, newpath, renameLooking, nil
	f.stat.init("lstat", newpath, driver.NoFollow)
}

// Poll carries the renaming on.
func (f *RenameFuture) Poll(cx *Context) bool {
	if f.phase == renameLooking {
		if !f.stat.Poll(cx) {
			return false
		}
		f.looked()
	}
	ended, err := f.io.poll(cx)
	if !ended {
		return false
	}
	f.ended(err)
	return true
}

func (f *RenameFuture) now() {
	f.stat.now()
	f.looked()
	f.ended(f.io.here())
}

// looked decides how to go on. In the kernel a directory may replace an empty one;
// package os does not let it.
func (f *RenameFuture) looked() {
	if info, err := f.stat.Result(); err == nil && info.IsDir() {
		f.phase = renameCalling
		f.io.call(func() { f.err = os.Rename(f.old, f.new) })
		return
	}
	f.phase = renameMoving
	f.io.prepare(nil, driver.Rename, nil)
	f.io.setPath(f.old)
	f.io.args.NewPath = f.io.terminated(f.new)
}

func (f *RenameFuture) ended(err error) {
	f.io.args.Func = nil
	if err != nil {
		f.err = &os.LinkError{Op: "rename", Old: f.old, New: f.new, Err: err}
	}
}

// Result returns what [Rename] returns.
func (f *RenameFuture) Result() error { return f.err }
