//go:build !cogen_portable

package rt

import (
	"encoding/binary"
	"io/fs"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// fileInfo is what the kernel tells about a file.
type fileInfo struct {
	name string
	mode fs.FileMode
	st   unix.Statx_t
}

// newFileInfo reads a struct statx.
func newFileInfo(name string, statx []byte) fs.FileInfo {
	i := &fileInfo{name: path.Base(name)}
	if _, err := binary.Decode(statx, binary.NativeEndian, &i.st); err != nil {
		panic(err) // the struct has a fixed size
	}
	i.mode = fileMode(uint32(i.st.Mode))
	return i
}

func (i *fileInfo) Name() string      { return i.name }
func (i *fileInfo) Size() int64       { return int64(i.st.Size) }
func (i *fileInfo) Mode() fs.FileMode { return i.mode }
func (i *fileInfo) IsDir() bool       { return i.mode.IsDir() }

func (i *fileInfo) ModTime() time.Time {
	return time.Unix(i.st.Mtime.Sec, int64(i.st.Mtime.Nsec))
}

// Sys returns a [*unix.Statx_t].
func (i *fileInfo) Sys() any { return &i.st }

// String helps those who print it.
func (i *fileInfo) String() string { return fs.FormatFileInfo(i) }

func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	}
	for _, b := range [...]struct {
		bit  uint32
		mode fs.FileMode
	}{{unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if m&b.bit != 0 {
			mode |= b.mode
		}
	}
	return mode
}

// SameFile reports whether a and b, both from this package, describe the same
// file.
func SameFile(a, b fs.FileInfo) bool {
	x, ok := a.(*fileInfo)
	y, also := b.(*fileInfo)
	return ok && also && x.st.Ino == y.st.Ino && x.st.Dev_major == y.st.Dev_major && x.st.Dev_minor == y.st.Dev_minor
}
