package rt

import (
	"io/fs"
	"os"
	"path/filepath"
)

// DirFS returns a file system for the tree of files under the directory dir, as
// [os.DirFS] does, whose files are of type [*File]. Waiting for it in a task
// suspends the task. It implements fs.StatFS, fs.ReadFileFS and fs.ReadDirFS.
func DirFS(dir string) fs.FS { return dirFS(dir) }

type dirFS string

var (
	_ fs.StatFS     = dirFS("")
	_ fs.ReadFileFS = dirFS("")
	_ fs.ReadDirFS  = dirFS("")
)

// path returns the name, in the system, of a file of d.
func (d dirFS) path(op, name string) (string, error) {
	local, err := filepath.Localize(name)
	switch {
	case d == "":
		err = os.ErrInvalid
	case err != nil:
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	return filepath.Join(string(d), local), nil
}

// relative gives an error the name that the caller knows.
func relative(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok {
		e.Path = name
	}
	return err
}

// Open implements [fs.FS].
func (d dirFS) Open(name string) (fs.File, error) {
	p, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := Open(p)
	if err != nil {
		return nil, relative(err, name)
	}
	return f, nil
}

// ReadFile implements [fs.ReadFileFS].
func (d dirFS) ReadFile(name string) ([]byte, error) {
	p, err := d.path("readfile", name)
	if err != nil {
		return nil, err
	}
	b, err := ReadFile(p)
	return b, relative(err, name)
}

// ReadDir implements [fs.ReadDirFS].
func (d dirFS) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := d.path("readdir", name)
	if err != nil {
		return nil, err
	}
	entries, err := ReadDir(p)
	return entries, relative(err, name)
}

// Stat implements [fs.StatFS].
func (d dirFS) Stat(name string) (fs.FileInfo, error) {
	p, err := d.path("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := Stat(p)
	return info, relative(err, name)
}
