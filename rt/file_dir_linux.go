//go:build !cogen_portable

package rt

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// dirReader reads the entries of an open directory.
type dirReader struct {
	mu  sync.Mutex
	buf []byte // of entries, as the kernel has them; nil when none is in use
	pos int    // of the next one
	end int
}

// dirBufSize is how much is read at once.
const dirBufSize = 16 << 10

// The offsets in a struct linux_dirent64.
const (
	direntLen  = 16
	direntType = 18
	direntName = 19
)

// readDir returns the next entries of f, as [fs.ReadDirFile] says. It blocks.
func (f *File) readDir(n int) (entries []fs.DirEntry, err error) {
	d := &f.sys.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	for n <= 0 || len(entries) < n {
		if d.pos >= d.end {
			if d.buf == nil {
				d.buf = make([]byte, dirBufSize)
			}
			d.pos, d.end = 0, 0
			got, err := unix.Getdents(int(f.sys.fd.sys.Sysfd), d.buf)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return entries, f.wrap("readdirent", err)
			}
			if got <= 0 {
				d.buf = nil
				break
			}
			d.end = got
		}
		e := d.buf[d.pos:d.end]
		size := int(binary.NativeEndian.Uint16(e[direntLen:]))
		e = e[:size]
		d.pos += size
		name, _, _ := bytes.Cut(e[direntName:], []byte{0})
		if string(name) == "." || string(name) == ".." {
			continue
		}
		entry := &dirEntry{dir: f.name, name: string(name), kind: e[direntType]}
		if entry.kind == unix.DT_UNKNOWN {
			switch info, err := entry.lookup(); err {
			case nil:
				entry.info = info
			case unix.ENOENT:
				continue // it has been removed meanwhile
			default:
				return entries, pathError("lstat", filepath.Join(f.name, entry.name), err)
			}
		}
		entries = append(entries, entry)
	}
	if n > 0 && len(entries) == 0 {
		return nil, io.EOF
	}
	return entries, nil
}

// dirEntry is an entry of a directory. Its description is asked for when it is
// wanted.
type dirEntry struct {
	dir, name string
	kind      byte        // DT_*
	info      fs.FileInfo // if the kind is not known
}

func (e *dirEntry) Name() string { return e.name }
func (e *dirEntry) IsDir() bool  { return e.Type().IsDir() }

func (e *dirEntry) Type() fs.FileMode {
	if e.info != nil {
		return e.info.Mode().Type()
	}
	return fileMode(uint32(e.kind) << 12).Type() // DTTOIF
}

// Info describes the file, as [Lstat] does: it may have to wait.
func (e *dirEntry) Info() (fs.FileInfo, error) {
	if e.info != nil {
		return e.info, nil
	}
	return Lstat(filepath.Join(e.dir, e.name))
}

func (e *dirEntry) String() string { return fs.FormatDirEntry(e) }

// lookup is Lstat where blocking does not matter.
func (e *dirEntry) lookup() (fs.FileInfo, error) {
	s := LstatAsync(filepath.Join(e.dir, e.name))
	err := s.io.here()
	if err != nil {
		return nil, err
	}
	return newFileInfo(e.name, s.buf[:]), nil
}

// readDirNamed is ReadDir where blocking does not matter.
func readDirNamed(name string) ([]fs.DirEntry, error) {
	var open OpenFuture
	open.Init(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	open.now()
	f, err := open.Result()
	if err != nil {
		return nil, err
	}
	defer closeNow(f)
	entries, err := f.readDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
