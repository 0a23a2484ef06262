//go:build linux

package uring

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// path is s as the kernel wants it.
func path(t testing.TB, s string) *byte {
	t.Helper()
	p, err := unix.BytePtrFromString(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func iovecs(bufs ...[]byte) []unix.Iovec {
	var v []unix.Iovec
	for _, b := range bufs {
		v = append(v, unix.Iovec{Base: &b[0]})
		v[len(v)-1].SetLen(len(b))
	}
	return v
}

// TestPrepFile takes a file through its life with operations only.
func TestPrepFile(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpOpenat2, OpLinkat)
	dir := t.TempDir()
	at := func(name string) *byte { return path(t, filepath.Join(dir, name)) }
	const cwd = unix.AT_FDCWD

	must(t, r, func(e *SQE) { e.PrepMkdirat(cwd, at("d"), 0o755) })
	fd := must(t, r, func(e *SQE) { e.PrepOpenat(cwd, at("d/f"), unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600) })
	defer unix.Close(int(fd))
	if n := must(t, r, func(e *SQE) { e.PrepWrite(fd, []byte("hello"), 0) }); n != 5 {
		t.Errorf("wrote %d", n)
	}
	if n := must(t, r, func(e *SQE) { e.PrepWritev(fd, iovecs([]byte(" "), []byte("world")), 5, 0) }); n != 6 {
		t.Errorf("wrote %d", n)
	}
	must(t, r, func(e *SQE) { e.PrepFsync(fd, 0) })
	must(t, r, func(e *SQE) { e.PrepFsync(fd, FsyncDatasync) })
	must(t, r, func(e *SQE) { e.PrepSyncFileRange(fd, 0, 4096, unix.SYNC_FILE_RANGE_WRITE) })
	must(t, r, func(e *SQE) { e.PrepFadvise(fd, 0, 4096, unix.FADV_SEQUENTIAL) })
	buf := make([]byte, 20)
	if n := must(t, r, func(e *SQE) { e.PrepRead(fd, buf, 6) }); string(buf[:n]) != "world" {
		t.Errorf("read %q", buf[:n])
	}
	a, b := make([]byte, 4), make([]byte, 20)
	if n := must(t, r, func(e *SQE) { e.PrepReadv(fd, iovecs(a, b), 0, 0) }); n != 11 || string(a) != "hell" || string(b[:7]) != "o world" {
		t.Errorf("read %d: %q, %q", n, a, b)
	}
	// The file's own position has not moved so far.
	if n := must(t, r, func(e *SQE) { e.PrepRead(fd, buf[:5], -1) }); string(buf[:n]) != "hello" {
		t.Errorf("at its own position: %q", buf[:n])
	}
	if n := must(t, r, func(e *SQE) { e.PrepRead(fd, buf, -1) }); string(buf[:n]) != " world" {
		t.Errorf("at its own position: %q", buf[:n])
	}

	size := func(name string, flags uint32) int64 {
		t.Helper()
		st := new(unix.Statx_t)
		must(t, r, func(e *SQE) { e.PrepStatx(cwd, at(name), flags, unix.STATX_SIZE|unix.STATX_MODE, st) })
		if st.Mask&unix.STATX_SIZE == 0 {
			t.Fatalf("statx: mask %#x", st.Mask)
		}
		return int64(st.Size)
	}
	if n := size("d/f", 0); n != 11 {
		t.Errorf("size %d", n)
	}
	must(t, r, func(e *SQE) { e.PrepFallocate(fd, 0, 0, 5000) })
	if n := size("d/f", 0); n != 5000 {
		t.Errorf("size after fallocate %d", n)
	}
	if r.Supports(OpFtruncate) {
		must(t, r, func(e *SQE) { e.PrepFtruncate(fd, 5) })
		if n := size("d/f", 0); n != 5 {
			t.Errorf("size after ftruncate %d", n)
		}
	}
	must(t, r, func(e *SQE) { e.PrepLinkat(cwd, at("d/f"), cwd, at("d/g"), 0) })
	must(t, r, func(e *SQE) { e.PrepSymlinkat(path(t, "g"), cwd, at("d/s")) })
	if to, err := os.Readlink(filepath.Join(dir, "d/s")); err != nil || to != "g" {
		t.Errorf("the link goes to %q, %v", to, err)
	}
	must(t, r, func(e *SQE) { e.PrepRenameat(cwd, at("d/g"), cwd, at("d/h"), unix.RENAME_NOREPLACE) })
	how := &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH}
	if res := result(t, r, func(e *SQE) { e.PrepOpenat2(cwd, at("d/h"), how) }); res != -int32(unix.EXDEV) {
		t.Errorf("an absolute path beneath: %d", res)
	}
	how.Resolve = 0
	again := must(t, r, func(e *SQE) { e.PrepOpenat2(cwd, at("d/h"), how) })
	must(t, r, func(e *SQE) { e.PrepClose(again) })
	for _, name := range []string{"d/f", "d/h", "d/s"} {
		must(t, r, func(e *SQE) { e.PrepUnlinkat(cwd, at(name), 0) })
	}
	must(t, r, func(e *SQE) { e.PrepUnlinkat(cwd, at("d"), unix.AT_REMOVEDIR) })
	if res := result(t, r, func(e *SQE) { e.PrepOpenat(cwd, at("d/f"), unix.O_RDONLY, 0) }); res != -int32(unix.ENOENT) {
		t.Errorf("open of what is not there: %d", res)
	}
}

func pipe(t testing.TB) (rd, wr int32) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
	return int32(p[0]), int32(p[1])
}

// TestPrepSplice moves bytes from a file through pipes.
func TestPrepSplice(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpSplice, OpTee)
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("0123456789")
	rd, wr := pipe(t)
	rd2, wr2 := pipe(t)
	if n := must(t, r, func(e *SQE) { e.PrepSplice(int32(f.Fd()), 3, wr, -1, 5, 0) }); n != 5 {
		t.Fatalf("spliced %d", n)
	}
	if n := must(t, r, func(e *SQE) { e.PrepTee(rd, wr2, 100, 0) }); n != 5 {
		t.Fatalf("teed %d", n)
	}
	buf := make([]byte, 10)
	for _, fd := range []int32{rd, rd2} {
		if n := must(t, r, func(e *SQE) { e.PrepRead(fd, buf, -1) }); string(buf[:n]) != "34567" {
			t.Errorf("%q", buf[:n])
		}
	}
	if !r.Supports(OpPipe) {
		return
	}
	ends := new([2]int32)
	must(t, r, func(e *SQE) { e.PrepPipe(ends, unix.O_CLOEXEC) })
	must(t, r, func(e *SQE) { e.PrepWrite(ends[1], []byte("x"), -1) })
	must(t, r, func(e *SQE) { e.PrepRead(ends[0], buf, -1) })
	unix.Close(int(ends[0]))
	unix.Close(int(ends[1]))
}

func TestReadMultishot(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	need(t, r, OpReadMultishot)
	b := openBufRing(t, r, BufRingConfig{Size: 32, Buffers: 4})
	rd, wr := pipe(t)
	r.SQE().PrepReadMultishot(rd, b.Group())
	if err := r.Submit(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"one", "two", "three"} {
		unix.Write(int(wr), []byte(s))
		c := next(t, r)
		if !c.More() {
			t.Fatalf("%+v", c)
		}
		chunk := takeOne(t, b, c)
		if string(chunk.Data) != s {
			t.Errorf("%q", chunk.Data)
		}
		b.Put(chunk)
	}
	sound(t, b)
}

func TestMadvise(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	m, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	m[100] = 1
	must(t, r, func(e *SQE) { e.PrepMadvise(m, unix.MADV_DONTNEED) })
	if m[100] != 0 {
		t.Error("nothing has happened")
	}
}
