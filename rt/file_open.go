package rt

import (
	"io/fs"
	"os"
)

// Open opens the named file for reading, as [os.Open] does.
func Open(name string) (*File, error) { return OpenFile(name, os.O_RDONLY, 0) }

// Create makes the named file, or truncates it if it exists, and opens it for
// reading and writing, as [os.Create] does.
func Create(name string) (*File, error) { return OpenFile(name, createFlags, 0o666) }

const createFlags = os.O_RDWR | os.O_CREATE | os.O_TRUNC

// OpenFile opens the named file with the given flags (os.O_RDONLY etc.), as
// [os.OpenFile] does; a file that it makes has the permissions perm, less the
// umask. The file is closed on exec.
func OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	f := OpenFileAsync(name, flag, perm)
	carryOut(f)
	return f.Result()
}

// OpenAsync is the async form of Open.
func OpenAsync(name string) *OpenFuture { return OpenFileAsync(name, os.O_RDONLY, 0) }

// CreateAsync is the async form of Create.
func CreateAsync(name string) *OpenFuture { return OpenFileAsync(name, createFlags, 0o666) }

// OpenFileAsync is the async form of OpenFile.
func OpenFileAsync(name string, flag int, perm fs.FileMode) *OpenFuture {
	f := new(OpenFuture)
	f.Init(name, flag, perm)
	return f
}

// Result returns what [OpenFile] returns.
func (f *OpenFuture) Result() (*File, error) { return f.file, f.err }
