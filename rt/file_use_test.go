package rt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
)

// created returns a new file for reading and writing.
func created(t testing.TB, name string) *File {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFileSystem runs Go's own test of file systems on a tree of files.
func TestFileSystem(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "a/file"), []byte("content"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "a/b/empty"), nil, 0o600))
	must(os.WriteFile(filepath.Join(dir, "big"), bytes.Repeat([]byte("0123456789"), 2000), 0o644))
	netDrivers(t, func(t *testing.T, r *Runtime) {
		check := func() {
			if err := fstest.TestFS(DirFS(dir), "a/file", "a/b/empty", "a/b/c", "big"); err != nil {
				t.Error(err)
			}
		}
		check()
		inTask(check)
	})
	for _, name := range []string{"/a", "../a", "a//b", ""} {
		if _, err := DirFS(dir).Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %q: %v", name, err)
		}
	}
	if _, err := DirFS("").Open("a"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a file system without a directory: %v", err)
	}
	_, err := DirFS(dir).Open("a/nothing")
	var e *fs.PathError
	if !errors.As(err, &e) || e.Path != "a/nothing" {
		t.Errorf("error of a file that does not exist: %v", err)
	}
}

// blockOf makes the content of block i of a test file.
func blockOf(i int) []byte {
	b := make([]byte, 512)
	for j := 0; j < len(b); j += 8 {
		binary.LittleEndian.PutUint64(b[j:], uint64(i)<<16|uint64(j))
	}
	return b
}

// TestFileManyAtOnce writes and reads blocks of one file from tasks and goroutines.
func TestFileManyAtOnce(t *testing.T) {
	const blocks, users = 512, 16
	netDrivers(t, func(t *testing.T, r *Runtime) {
		f := created(t, "file")
		defer f.Close()
		var all sync.WaitGroup
		each := func(do func(i int)) {
			for u := range users {
				work := func() {
					defer all.Done()
					for i := u; i < blocks; i += users {
						do(i)
					}
				}
				all.Add(1)
				if u%4 == 0 {
					go work()
				} else {
					r.Go(plainly(work))
				}
			}
			all.Wait()
		}
		each(func(i int) {
			if n, err := f.WriteAt(blockOf(i), int64(i)*512); n != 512 || err != nil {
				t.Errorf("write block %d: %d, %v", i, n, err)
			}
		})
		each(func(i int) {
			b := make([]byte, 512)
			if n, err := f.ReadAt(b, int64(i)*512); n != 512 || err != nil || !bytes.Equal(b, blockOf(i)) {
				t.Errorf("read block %d: %d, %v", i, n, err)
			}
		})
	})
}

// TestFilePositionShared has many readers take blocks from the position of one
// file: each block goes to one of them. Then many writers add blocks, of which
// none is lost.
func TestFilePositionShared(t *testing.T) {
	const blocks, users = 512, 8
	netDrivers(t, func(t *testing.T, r *Runtime) {
		name := filepath.Join(t.TempDir(), "file")
		for i := range blocks {
			f := must(OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600))(t)
			f.Write(blockOf(i))
			f.Close()
		}
		f := must(OpenFile(name, os.O_RDWR, 0))(t)
		defer f.Close()
		var all sync.WaitGroup
		run := func(u int, work func()) {
			all.Add(1)
			if u%4 == 0 {
				go func() { defer all.Done(); work() }()
			} else {
				r.Go(plainly(func() { defer all.Done(); work() }))
			}
		}
		var seen [2 * blocks]atomic.Int32
		for u := range users {
			run(u, func() {
				b := make([]byte, 512)
				for {
					n, err := f.Read(b)
					if err == io.EOF {
						return
					}
					if i := int(binary.LittleEndian.Uint64(b) >> 16); n != 512 || err != nil || !bytes.Equal(b, blockOf(i)) {
						t.Errorf("read: %d, %v", n, err)
						return
					} else {
						seen[i].Add(1)
					}
				}
			})
		}
		all.Wait()
		for u := range users {
			run(u, func() {
				for i := blocks + u; i < 2*blocks; i += users {
					if n, err := f.Write(blockOf(i)); n != 512 || err != nil {
						t.Errorf("write: %d, %v", n, err)
					}
				}
			})
		}
		all.Wait()
		f.Seek(blocks*512, io.SeekStart)
		for range blocks {
			b := make([]byte, 512)
			if _, err := io.ReadFull(f, b); err != nil {
				t.Fatal(err)
			}
			seen[binary.LittleEndian.Uint64(b)>>16].Add(1)
		}
		for i := range seen {
			if n := seen[i].Load(); n != 1 {
				t.Errorf("block %d was seen %d times", i, n)
			}
		}
	})
}

// TestFileClosedInUse closes files while tasks and goroutines use them. Each
// operation is whole or says that the file is closed; the descriptor is gone after.
func TestFileClosedInUse(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for round := range 30 {
			f := created(t, "file")
			f.WriteAt(make([]byte, 1<<16), 0)
			var all sync.WaitGroup
			for u := range 8 {
				rnd := rand.New(rand.NewPCG(uint64(u), uint64(round)))
				work := func() {
					defer all.Done()
					b := make([]byte, 4096)
					for {
						var err error
						switch rnd.IntN(6) {
						case 0:
							_, err = f.WriteAt(b, 4096*rnd.Int64N(16))
						case 1:
							_, err = f.Read(b)
						case 2:
							_, err = f.Seek(0, io.SeekStart)
						case 3:
							_, err = f.Stat()
						case 4:
							_, err = f.Write(b[:10])
						default:
							_, err = f.ReadAt(b, 4096*rnd.Int64N(16))
						}
						if errors.Is(err, fs.ErrClosed) {
							return
						}
						if err != nil && err != io.EOF {
							t.Error(err)
							return
						}
					}
				}
				all.Add(1)
				if u%2 == 0 {
					go work()
				} else {
					r.Go(plainly(work))
				}
			}
			for range rand.IntN(20) {
				f.Sync()
			}
			var err error
			switch round % 3 {
			case 0:
				err = f.Close()
			case 1:
				inTask(func() { err = f.Close() })
			case 2:
				err = Run(f.CloseAsync()).Result()
			}
			if err != nil {
				t.Error(err)
			}
			all.Wait()
			if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("second close: %v", err)
			}
		}
	})
}

// TestFileInvalid uses what is no file.
func TestFileInvalid(t *testing.T) {
	for _, f := range []*File{nil, {}} {
		_, err1 := f.Read(nil)
		_, err2 := f.Write(nil)
		_, err3 := f.ReadAt(nil, 0)
		_, err4 := f.WriteAt(nil, 0)
		_, err5 := f.Seek(0, 0)
		_, err6 := f.Stat()
		_, err7 := f.ReadDir(0)
		for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, f.Sync(), f.SyncData(), f.Truncate(0), f.Allocate(0, 1), f.Close()} {
			if err != os.ErrInvalid {
				t.Errorf("operation %d: %v", i, err)
			}
		}
	}
}

// TestFileCopy copies between files by every way, and compares.
func TestFileCopy(t *testing.T) {
	content := make([]byte, 3<<20+100)
	for i := range content {
		content[i] = byte(i * 31 >> 3)
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		check := func() {
			src, dst := created(t, "src"), created(t, "dst")
			defer src.Close()
			defer dst.Close()
			src.WriteAt(content, 0)
			src.Seek(100, io.SeekStart)
			dst.Write([]byte("head"))
			n, err := io.Copy(dst, src)
			if want := int64(len(content) - 100); n != want || err != nil {
				t.Errorf("copy: %d, %v, want %d", n, err, want)
			}
			if n, err := io.Copy(dst, src); n != 0 || err != nil {
				t.Errorf("copy at the end: %d, %v", n, err)
			}
			src.Seek(7, io.SeekStart)
			if n, err := io.CopyN(dst, src, 5000); n != 5000 || err != nil {
				t.Errorf("copy a part: %d, %v", n, err)
			}
			if n, err := dst.ReadFrom(bytes.NewReader([]byte("tail"))); n != 4 || err != nil {
				t.Errorf("copy from memory: %d, %v", n, err)
			}
			want := append([]byte("head"), content[100:]...)
			want = append(want, content[7:5007]...)
			want = append(want, "tail"...)
			got, err := ReadFile(dst.Name())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("copied %d bytes, want %d; %v", len(got), len(want), err)
			}
			if pos, _ := src.Seek(0, io.SeekCurrent); pos != 5007 {
				t.Errorf("the position of the source is %d", pos)
			}
			var memory bytes.Buffer
			src.Seek(0, io.SeekStart)
			if n, err := io.Copy(&memory, src); n != int64(len(content)) || err != nil || !bytes.Equal(memory.Bytes(), content) {
				t.Errorf("copy to memory: %d, %v", n, err)
			}
			// A file without a size, and one that only grows.
			proc := must(Open("/proc/self/status"))(t)
			defer proc.Close()
			end := must(OpenFile(dst.Name(), os.O_WRONLY|os.O_APPEND, 0))(t)
			defer end.Close()
			if n, err := io.Copy(dst, proc); n == 0 || err != nil {
				t.Errorf("copy from /proc: %d, %v", n, err)
			}
			src.Seek(0, io.SeekStart)
			if n, err := io.Copy(end, src); n != int64(len(content)) || err != nil {
				t.Errorf("copy to the end: %d, %v", n, err)
			}
			closed := created(t, "closed")
			closed.Close()
			if _, err := io.Copy(dst, closed); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("copy from a closed file: %v", err)
			}
			src.Seek(0, io.SeekStart)
			if _, err := io.Copy(closed, src); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("copy to a closed file: %v", err)
			}
		}
		check()
		inTask(check)
	})
}

// TestFileSpace has room made in a file, and its data brought to the disk.
func TestFileSpace(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		check := func() {
			f := created(t, "file")
			defer f.Close()
			err := f.Allocate(4096, 1<<20)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip("the file system cannot allocate")
			}
			if err != nil {
				t.Error(err)
			}
			if info, err := f.Stat(); err != nil || info.Size() != 1<<20+4096 {
				t.Errorf("after allocating: %v, %v", info, err)
			}
			if err := f.Allocate(0, 0); !errors.Is(err, fs.ErrInvalid) && err == nil {
				t.Error("nothing was allocated")
			}
			if err := f.SyncData(); err != nil {
				t.Error(err)
			}
			a, _ := f.Stat()
			b, _ := Stat(f.Name())
			c, _ := Stat(filepath.Dir(f.Name()))
			if !SameFile(a, b) || SameFile(a, c) || SameFile(a, nil) {
				t.Error("files are not told apart")
			}
		}
		check()
		inTask(check)
	})
}
