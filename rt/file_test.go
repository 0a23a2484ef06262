package rt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileLike is what the files of package os and of this one have in common.
type fileLike interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Sync() error
	Truncate(int64) error
	Stat() (fs.FileInfo, error)
	ReadDir(int) ([]fs.DirEntry, error)
}

// A fileForm is a way to use files.
type fileForm struct {
	name      string
	openFile  func(string, int, fs.FileMode) (fileLike, error)
	readFile  func(string) ([]byte, error)
	writeFile func(string, []byte, fs.FileMode) error
	stat      func(string) (fs.FileInfo, error)
	lstat     func(string) (fs.FileInfo, error)
	mkdir     func(string, fs.FileMode) error
	mkdirAll  func(string, fs.FileMode) error
	remove    func(string) error
	rename    func(string, string) error
	readDir   func(string) ([]fs.DirEntry, error)
}

// fileForms are the ways to use this package; the first is on the goroutine of the
// caller.
var fileForms = []fileForm{
	{"goroutine", wrapFile(OpenFile, func(f *File) fileLike { return f }), ReadFile, WriteFile, Stat, Lstat, Mkdir, MkdirAll, Remove, Rename, ReadDir},
	{
		name:     "nested",
		openFile: wrapFile(nested3(OpenFile), func(f *File) fileLike { return nestedFile{f} }),
		readFile: nested1(ReadFile),
		writeFile: func(s string, b []byte, m fs.FileMode) (err error) {
			inTask(func() { err = WriteFile(s, b, m) })
			return err
		},
		stat:     nested1(Stat),
		lstat:    nested1(Lstat),
		mkdir:    func(s string, m fs.FileMode) (err error) { inTask(func() { err = Mkdir(s, m) }); return err },
		mkdirAll: func(s string, m fs.FileMode) (err error) { inTask(func() { err = MkdirAll(s, m) }); return err },
		remove:   func(s string) (err error) { inTask(func() { err = Remove(s) }); return err },
		rename:   func(a, b string) (err error) { inTask(func() { err = Rename(a, b) }); return err },
		readDir:  nested1(ReadDir),
	},
	{
		name: "async",
		openFile: wrapFile(func(s string, flag int, m fs.FileMode) (*File, error) { return Run(OpenFileAsync(s, flag, m)).Result() },
			func(f *File) fileLike { return asyncFile{f} }),
		readFile:  func(s string) ([]byte, error) { return Run(ReadFileAsync(s)).Result() },
		writeFile: func(s string, b []byte, m fs.FileMode) error { return Run(WriteFileAsync(s, b, m)).Result() },
		stat:      func(s string) (fs.FileInfo, error) { return Run(StatAsync(s)).Result() },
		lstat:     func(s string) (fs.FileInfo, error) { return Run(LstatAsync(s)).Result() },
		mkdir:     func(s string, m fs.FileMode) error { return Run(MkdirAsync(s, m)).Result() },
		mkdirAll:  func(s string, m fs.FileMode) error { return Run(MkdirAllAsync(s, m)).Result() },
		remove:    func(s string) error { return Run(RemoveAsync(s)).Result() },
		rename:    func(a, b string) error { return Run(RenameAsync(a, b)).Result() },
		readDir:   func(s string) ([]fs.DirEntry, error) { return Run(ReadDirAsync(s)).Result() },
	},
}

// osForm is the oracle.
var osForm = fileForm{"os", func(s string, flag int, m fs.FileMode) (fileLike, error) {
	f, err := os.OpenFile(s, flag, m)
	if err != nil {
		return nil, err
	}
	return f, nil
}, os.ReadFile, os.WriteFile, os.Stat, os.Lstat, os.Mkdir, os.MkdirAll, os.Remove, os.Rename, os.ReadDir}

func wrapFile(open func(string, int, fs.FileMode) (*File, error), wrap func(*File) fileLike) func(string, int, fs.FileMode) (fileLike, error) {
	return func(name string, flag int, perm fs.FileMode) (fileLike, error) {
		f, err := open(name, flag, perm)
		if err != nil {
			return nil, err
		}
		return wrap(f), nil
	}
}

func nested1[A, R any](f func(A) (R, error)) func(A) (R, error) {
	return func(a A) (r R, err error) {
		inTask(func() { r, err = f(a) })
		return r, err
	}
}

func nested3[A, B, C, R any](f func(A, B, C) (R, error)) func(A, B, C) (R, error) {
	return func(a A, b B, c C) (r R, err error) {
		inTask(func() { r, err = f(a, b, c) })
		return r, err
	}
}

// nestedFile is a File whose operations each run in plain form in a task.
type nestedFile struct{ *File }

func (f nestedFile) Read(b []byte) (n int, err error)  { return nested1(f.File.Read)(b) }
func (f nestedFile) Write(b []byte) (n int, err error) { return nested1(f.File.Write)(b) }
func (f nestedFile) ReadAt(b []byte, off int64) (n int, err error) {
	inTask(func() { n, err = f.File.ReadAt(b, off) })
	return n, err
}
func (f nestedFile) WriteAt(b []byte, off int64) (n int, err error) {
	inTask(func() { n, err = f.File.WriteAt(b, off) })
	return n, err
}
func (f nestedFile) Seek(off int64, whence int) (pos int64, err error) {
	inTask(func() { pos, err = f.File.Seek(off, whence) })
	return pos, err
}
func (f nestedFile) Sync() (err error)  { inTask(func() { err = f.File.Sync() }); return err }
func (f nestedFile) Close() (err error) { inTask(func() { err = f.File.Close() }); return err }
func (f nestedFile) Truncate(n int64) (err error) {
	inTask(func() { err = f.File.Truncate(n) })
	return err
}
func (f nestedFile) Stat() (i fs.FileInfo, err error) {
	inTask(func() { i, err = f.File.Stat() })
	return i, err
}
func (f nestedFile) ReadDir(n int) ([]fs.DirEntry, error) { return nested1(f.File.ReadDir)(n) }

// asyncFile is a File whose operations each run as a task, in async form.
type asyncFile struct{ *File }

func (f asyncFile) Read(b []byte) (int, error)  { return Run(f.ReadAsync(b)).Result() }
func (f asyncFile) Write(b []byte) (int, error) { return Run(f.WriteAsync(b)).Result() }
func (f asyncFile) ReadAt(b []byte, off int64) (int, error) {
	return Run(f.ReadAtAsync(b, off)).Result()
}
func (f asyncFile) WriteAt(b []byte, off int64) (int, error) {
	return Run(f.WriteAtAsync(b, off)).Result()
}
func (f asyncFile) Seek(off int64, whence int) (int64, error) {
	return Run(f.SeekAsync(off, whence)).Result()
}
func (f asyncFile) Sync() error                          { return Run(f.SyncAsync()).Result() }
func (f asyncFile) Close() error                         { return Run(f.CloseAsync()).Result() }
func (f asyncFile) Truncate(n int64) error               { return Run(f.TruncateAsync(n)).Result() }
func (f asyncFile) Stat() (fs.FileInfo, error)           { return Run(f.StatAsync()).Result() }
func (f asyncFile) ReadDir(n int) ([]fs.DirEntry, error) { return Run(f.ReadDirAsync(n)).Result() }

// A fileScript does something with files and writes down what it sees.
type fileScript struct {
	fileForm
	dir string
	log strings.Builder
}

// note writes a line. Names below the script's folder are written relative to it.
func (s *fileScript) note(what string, v ...any) {
	line := fmt.Sprintln(append([]any{what}, v...)...)
	line = strings.ReplaceAll(line, s.dir, "$")
	// The one message that cannot be the same.
	line = strings.ReplaceAll(line, "rt: invalid use", "os: invalid use")
	s.log.WriteString(line)
	for _, x := range v {
		if err, ok := x.(error); ok {
			for _, kind := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrClosed, fs.ErrInvalid, fs.ErrPermission, io.EOF, errors.ErrUnsupported} {
				if errors.Is(err, kind) {
					fmt.Fprintln(&s.log, "   which is", kind)
				}
			}
			fmt.Fprintf(&s.log, "   of type %T\n", err)
		}
	}
}

func (s *fileScript) path(name string) string { return filepath.Join(s.dir, name) }

// open opens a file that must be there.
func (s *fileScript) open(name string, flag int) fileLike {
	f, err := s.openFile(s.path(name), flag, 0o644)
	if err != nil {
		s.note("open", err)
		return nil
	}
	return f
}

func (s *fileScript) noteInfo(info fs.FileInfo, err error) {
	if err != nil {
		s.note("stat", err)
		return
	}
	size := info.Size()
	if info.IsDir() {
		size = 0 // the file system's own affair
	}
	s.note("stat", info.Name(), size, info.Mode(), info.IsDir())
}

func (s *fileScript) noteEntries(entries []fs.DirEntry, err error) {
	s.note("readdir", len(entries), err)
	for _, e := range entries {
		info, err := e.Info()
		s.note("entry", e.Name(), e.Type(), e.IsDir(), err)
		s.noteInfo(info, err)
	}
}

// fileScripts are what is compared with package os.
var fileScripts = []struct {
	name string
	run  func(s *fileScript)
}{
	{"offsets", func(s *fileScript) {
		f := s.open("file", os.O_RDWR|os.O_CREATE|os.O_EXCL)
		buf := make([]byte, 8)
		read := func(n int, off int64) {
			n, err := f.ReadAt(buf[:n], off)
			s.note("readat", n, err, string(buf[:n]))
		}
		write := func(b string, off int64) {
			n, err := f.WriteAt([]byte(b), off)
			s.note("writeat", n, err)
		}
		read(4, 0)
		write("hello, world", 0)
		read(5, 0)
		read(8, 7)
		read(0, 100)
		read(3, 100)
		read(3, -1)
		write("x", -1)
		write("", 3)
		write("end", 20)
		read(8, 16)
		f.Close()
		read(1, 0)
		read(0, 0)
		write("x", 0)
		s.note("content", string(must2(os.ReadFile(s.path("file")))))
	}},
	{"position", func(s *fileScript) {
		f := s.open("file", os.O_RDWR|os.O_CREATE)
		buf := make([]byte, 6)
		read := func() {
			n, err := f.Read(buf)
			s.note("read", n, err, string(buf[:n]))
		}
		seek := func(off int64, whence int) {
			pos, err := f.Seek(off, whence)
			s.note("seek", pos, err)
		}
		n, err := f.Write([]byte("0123456789"))
		s.note("write", n, err)
		read()
		seek(0, io.SeekStart)
		read()
		read()
		read()
		seek(-3, io.SeekCurrent)
		read()
		seek(2, io.SeekEnd)
		f.Write([]byte("abc"))
		seek(-100, io.SeekCurrent)
		seek(0, 77)
		seek(8, io.SeekStart)
		f.WriteAt([]byte("xy"), 0) // moves nothing
		read()
		n, err = f.Read(nil)
		s.note("read nothing", n, err)
		s.note("truncate", f.Truncate(4))
		read()
		seek(0, io.SeekStart)
		read()
		s.note("truncate", f.Truncate(-1))
		s.note("sync", f.Sync())
		s.noteInfo(f.Stat())
		s.note("close", f.Close())
		s.note("close", f.Close())
		read()
		seek(0, io.SeekStart)
		n, err = f.Write([]byte("x"))
		s.note("write", n, err)
		n, err = f.Read(nil)
		s.note("read nothing", n, err)
		s.note("truncate", f.Truncate(4))
		s.note("sync", f.Sync())
		s.noteInfo(f.Stat())
		s.note("name", f.Name())
	}},
	{"append", func(s *fileScript) {
		s.note("write", s.writeFile(s.path("file"), []byte("first "), 0o600))
		f := s.open("file", os.O_WRONLY|os.O_APPEND)
		for _, b := range []string{"second ", "third"} {
			n, err := f.Write([]byte(b))
			s.note("write", n, err)
		}
		n, err := f.WriteAt([]byte("x"), 0)
		s.note("writeat", n, err)
		n, err = f.Read(make([]byte, 3))
		s.note("read", n, err)
		f.Close()
		b, err := s.readFile(s.path("file"))
		s.note("content", string(b), err)
		info, err := s.stat(s.path("file"))
		s.noteInfo(info, err)
	}},
	{"open", func(s *fileScript) {
		try := func(name string, flag int) {
			f, err := s.openFile(name, flag, 0o640)
			s.note("open", err)
			if err == nil {
				s.noteInfo(f.Stat())
				s.note("close", f.Close())
			}
		}
		try(s.path("file"), os.O_RDONLY)
		try(s.path("file"), os.O_RDWR|os.O_CREATE)
		try(s.path("file"), os.O_RDWR|os.O_CREATE|os.O_EXCL)
		try(s.path("file/below"), os.O_RDONLY)
		try(s.dir, os.O_RDONLY)
		try(s.dir, os.O_RDWR)
		try("", os.O_RDONLY)
		try("a\x00b", os.O_RDONLY)
		try(s.path(strings.Repeat("long", 100)), os.O_RDONLY)
		try("/dev/null", os.O_RDWR)
		d := s.open(".", os.O_RDONLY)
		n, err := d.Read(make([]byte, 3))
		s.note("read a directory", n, err)
		n, err = d.ReadAt(make([]byte, 3), 0)
		s.note("read a directory", n, err)
		d.Close()
		ro := s.open("file", os.O_RDONLY)
		n, err = ro.Write([]byte("x"))
		s.note("write", n, err)
		s.note("truncate", ro.Truncate(1))
		ro.Close()
	}},
	{"names", func(s *fileScript) {
		s.note("mkdir", s.mkdir(s.path("dir"), 0o750))
		s.note("mkdir", s.mkdir(s.path("dir"), 0o750))
		s.note("mkdir", s.mkdir(s.path("no/such/dir"), 0o750))
		s.note("mkdirall", s.mkdirAll(s.path("all/of/it"), 0o700))
		s.note("mkdirall", s.mkdirAll(s.path("all/of/it"), 0o700))
		s.note("write", s.writeFile(s.path("dir/a"), []byte("abc"), 0o604))
		s.note("write", s.writeFile(s.path("none/a"), []byte("abc"), 0o604))
		s.note("mkdirall", s.mkdirAll(s.path("dir/a/b"), 0o700))
		s.note("rename", s.rename(s.path("dir/a"), s.path("dir/b")))
		s.note("rename", s.rename(s.path("dir/a"), s.path("dir/b")))
		s.note("rename to directory", s.rename(s.path("dir/b"), s.path("all")))
		s.note("rename over directory", s.rename(s.path("dir"), s.path("all/of/it")))
		s.note("rename to itself", s.rename(s.path("all"), s.path("all")))
		s.note("rename to nothing", s.rename(s.path("dir/b"), ""))
		s.note("rename with zero", s.rename(s.path("dir/b"), "a\x00b"))
		s.note("rename", s.rename(s.path("dir"), s.path("other")))
		os.Symlink("b", s.path("other/link"))
		for _, name := range []string{"other", "other/b", "other/link", "other/nothing", ""} {
			info, err := s.stat(s.path(name))
			if name != "" {
				s.noteInfo(info, err)
			}
			info, err = s.lstat(s.path(name))
			if name != "" {
				s.noteInfo(info, err)
			}
		}
		_, err := s.stat("")
		s.note("stat", err)
		s.note("remove", s.remove(s.path("other")))
		s.note("remove", s.remove(s.path("other/link")))
		s.note("remove", s.remove(s.path("other/b")))
		s.note("remove", s.remove(s.path("other/b")))
		s.note("remove", s.remove(s.path("other")))
		s.note("remove", s.remove(s.path("other")))
		s.note("remove", s.remove("a\x00b"))
		s.note("remove", s.remove(""))
		b, err := s.readFile(s.path("all"))
		s.note("readfile", len(b), err)
		b, err = s.readFile(s.path("nothing"))
		s.note("readfile", len(b), err)
	}},
	{"directories", func(s *fileScript) {
		for _, name := range []string{"c", "a", "b"} {
			s.writeFile(s.path(name), []byte(name), 0o644)
		}
		s.mkdir(s.path("d"), 0o755)
		os.Symlink("nowhere", s.path("e"))
		s.noteEntries(s.readDir(s.dir))
		s.noteEntries(s.readDir(s.path("a")))
		s.noteEntries(s.readDir(s.path("x")))
		s.noteEntries(s.readDir(s.path("d")))
		d := s.open(".", os.O_RDONLY)
		total := 0
		for {
			entries, err := d.ReadDir(2)
			total += len(entries)
			if err != nil {
				s.note("end", total, err)
				break
			}
		}
		entries, err := d.ReadDir(-1)
		s.note("after the end", len(entries), err)
		d.Close()
		entries, err = d.ReadDir(-1)
		s.note("closed", len(entries), err != nil) // package os loses the reason
		f := s.open("a", os.O_RDONLY)
		s.noteEntries(f.ReadDir(-1))
		f.Close()
	}},
	{"whole files", func(s *fileScript) {
		for _, size := range []int{0, 1, 511, 512, 513, 4096, 1 << 20} {
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i * 7)
			}
			s.note("writefile", s.writeFile(s.path("file"), data, 0o600))
			got, err := s.readFile(s.path("file"))
			s.note("readfile", string(got) == string(data), len(got), err)
		}
		got, err := s.readFile("/proc/self/status") // has no size
		s.note("readfile", len(got) > 512, strings.HasPrefix(string(got), "Name:"), err)
		s.note("writefile", s.writeFile(s.dir, nil, 0o600))
		s.note("writefile", s.writeFile(s.path("x/y"), nil, 0o600))
		s.note("writefile", s.writeFile("/dev/full", []byte("no room"), 0o600))
	}},
}

// scriptDir makes a folder whose last name is always the same.
func scriptDir(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFilesBehaveAsOS runs each script with package os and with this one in each
// form, on each driver.
func TestFilesBehaveAsOS(t *testing.T) {
	want := map[string]string{}
	for _, c := range fileScripts {
		s := &fileScript{fileForm: osForm, dir: scriptDir(t)}
		c.run(s)
		want[c.name] = s.log.String()
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, form := range fileForms {
			for _, c := range fileScripts {
				t.Run(form.name+"/"+c.name, func(t *testing.T) {
					s := &fileScript{fileForm: form, dir: scriptDir(t)}
					c.run(s)
					got, want := strings.Split(s.log.String(), "\n"), strings.Split(want[c.name], "\n")
					for i := range max(len(got), len(want)) {
						g, w := "", ""
						if i < len(got) {
							g = got[i]
						}
						if i < len(want) {
							w = want[i]
						}
						if g != w {
							t.Errorf("line %d:\n got %s\nwant %s", i+1, g, w)
						}
					}
				})
			}
		}
	})
}
