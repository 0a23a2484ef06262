package rt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFileNoSpace fills a small file system. What was written counts, then comes
// the error.
func TestFileNoSpace(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, form := range fileForms {
			t.Run(form.name, func(t *testing.T) {
				name := filepath.Join(dir, "file")
				f, err := form.openFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				defer os.Remove(name)
				defer f.Close()
				data := bytes.Repeat([]byte("data"), 50_000)
				n, err := f.Write(data)
				if !errors.Is(err, unix.ENOSPC) || n == 0 || n >= len(data) {
					t.Errorf("write: %d, %v", n, err)
				}
				if info, err := f.Stat(); err != nil || info.Size() != int64(n) {
					t.Errorf("%d bytes were written, the size is %v; %v", n, info.Size(), err)
				}
				if m, err := f.WriteAt(data, int64(n)); !errors.Is(err, unix.ENOSPC) || m != 0 {
					t.Errorf("write at the end: %d, %v", m, err)
				}
			})
		}
	})
}

// TestFileDirect reads and writes past the memory of the system.
func TestFileDirect(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, form := range fileForms {
			t.Run(form.name, func(t *testing.T) {
				name := filepath.Join(t.TempDir(), "file")
				f, err := form.openFile(name, os.O_RDWR|os.O_CREATE|unix.O_DIRECT, 0o600)
				if errors.Is(err, unix.EINVAL) {
					t.Skip("the file system has no direct access")
				}
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				b := AlignedBuffer(16 << 10)
				defer FreeAlignedBuffer(b)
				for i := range b {
					b[i] = byte(i / 100)
				}
				if n, err := f.WriteAt(b, 8192); n != len(b) || err != nil {
					t.Fatalf("write: %d, %v", n, err)
				}
				got := AlignedBuffer(len(b))
				defer FreeAlignedBuffer(got)
				if n, err := f.ReadAt(got, 8192); n != len(b) || err != nil || !bytes.Equal(got, b) {
					t.Errorf("read: %d, %v", n, err)
				}
				if _, err := f.ReadAt(got[1:512], 0); !errors.Is(err, unix.EINVAL) && err != nil {
					t.Errorf("read into a buffer that is not aligned: %v", err)
				}
			})
		}
	})
}

// TestAlignedBuffers looks at addresses and sizes, and that buffers come back.
func TestAlignedBuffers(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 1 << 16, 1<<16 + 1, 1 << 21, 1<<30 + 1} {
		if n > 1<<30 && testing.Short() {
			continue
		}
		b := AlignedBuffer(n)
		if len(b) != n {
			t.Errorf("a buffer of %d bytes has %d", n, len(b))
		}
		if n > 0 && addressOf(b)%4096 != 0 {
			t.Errorf("a buffer of %d bytes starts at %#x", n, addressOf(b))
		}
		FreeAlignedBuffer(b)
	}
	FreeAlignedBuffer(nil)
	FreeAlignedBuffer(make([]byte, 100)) // is not taken
	if raceEnabled {
		return // sync.Pool drops things on purpose
	}
	if n := testing.AllocsPerRun(100, func() { FreeAlignedBuffer(AlignedBuffer(8000)) }); n >= 1 {
		t.Errorf("a buffer that was given back is not used: %v allocations", n)
	}
}

// A fileReader is a frame that reads and writes at offsets until it is told to stop.
type fileReader struct {
	file   *File
	buf    []byte
	rounds int
	state  int
	read   FileReadAtFuture
	write  FileWriteAtFuture
	err    error
}

func (f *fileReader) Poll(cx *Context) bool {
	for ; f.rounds > 0; f.rounds-- {
		switch f.state {
		case 0:
			f.read.Init(f.file, f.buf, 0)
			f.state = 1
			fallthrough
		case 1:
			if !f.read.Poll(cx) {
				return false
			}
			if _, f.err = f.read.Result(); f.err != nil {
				return true
			}
			f.write.Init(f.file, f.buf, 4096)
			f.state = 2
			fallthrough
		case 2:
			if !f.write.Poll(cx) {
				return false
			}
			if _, f.err = f.write.Result(); f.err != nil {
				return true
			}
			f.state = 0
		}
	}
	return true
}

// TestFileReadAndWriteDoNotAllocate counts allocations at offsets, in each form.
func TestFileReadAndWriteDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, and sync.Pool drops things on purpose")
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		skipPortable(t, r)
		f := created(t, "file")
		defer f.Close()
		f.WriteAt(make([]byte, 8192), 0)
		const rounds = 200
		buf := make([]byte, 512)
		plain := func() {
			for range rounds {
				f.ReadAt(buf, 0)
				f.WriteAt(buf, 4096)
			}
		}
		frame := &fileReader{file: f, buf: buf}
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"async", func() {
				frame.rounds, frame.state = rounds, 0
				Run(frame)
				if frame.err != nil {
					t.Error(frame.err)
				}
			}},
			{"nested", func() { inTask(plain) }},
			{"goroutine", plain},
		} {
			// Starting the task allocates, and a collection may empty pools.
			if n := testing.AllocsPerRun(5, c.run); n > rounds/10 {
				t.Errorf("%s: %d reads and writes make %v allocations", c.name, rounds, n)
			}
		}
	})
}

// TestFileOpenAbandoned closes runtimes while files are being opened: no
// descriptor stays open.
func TestFileOpenAbandoned(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	eachDriver(t, func(t *testing.T, _ *Runtime) {
		before := openDescriptors(t)
		for i := range 50 {
			r := newRuntime(t, t.Name()[len("TestFileOpenAbandoned/"):], 1)
			for range 20 {
				r.Go(OpenAsync(name))
			}
			if i%2 == 0 {
				time.Sleep(time.Duration(i) * 10 * time.Microsecond)
			}
			r.Close()
		}
		// Those that were opened are not reachable.
		waitFor(t, func() bool {
			runtime.GC()
			return openDescriptors(t) <= before
		})
	})
}

// TestFileLeftOpen leaves files to the collector, and closes others, whose numbers
// are used again: those stay open.
func TestFileLeftOpen(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		before := openDescriptors(t)
		dir := t.TempDir()
		for range 20 {
			must(Create(filepath.Join(dir, "left")))(t)
			f := must(Create(filepath.Join(dir, "closed")))(t)
			r.Go(f.CloseAsync()).Wait()
		}
		kept := must(os.Create(filepath.Join(dir, "kept")))(t)
		defer kept.Close()
		waitFor(t, func() bool {
			runtime.GC()
			return openDescriptors(t) <= before+1
		})
		if _, err := kept.Write([]byte("x")); err != nil {
			t.Errorf("a file of package os was closed: %v", err)
		}
	})
}
