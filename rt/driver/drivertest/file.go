//go:build linux

package drivertest

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// fileOp makes an operation on a file.
func (r *rig) fileOp(code driver.Code, fd driver.FD, buf []byte, args driver.FileArgs) *op {
	o := r.op(code, fd, buf)
	o.File = &args
	return o
}

// do submits an operation on a file and waits for its result.
func (r *rig) do(code driver.Code, fd driver.FD, buf []byte, args driver.FileArgs) int32 {
	r.Helper()
	o := r.fileOp(code, fd, buf, args)
	r.submit(o)
	return r.end(o)
}

// must is do for what has to return res.
func (r *rig) must(res int32, code driver.Code, fd driver.FD, buf []byte, args driver.FileArgs) {
	r.Helper()
	o := r.fileOp(code, fd, buf, args)
	r.submit(o)
	r.want(o, res)
}

// path returns the name of a file, as drivers have it, in the test's own folder.
func (r *rig) path(name string) string { return filepath.Join(r.dir(), name) + "\x00" }

func (r *rig) dir() string {
	if r.folder == "" {
		r.folder = r.TempDir()
	}
	return r.folder
}

// open opens a file with an operation.
func (r *rig) open(name string, flags uint32) driver.FD {
	r.Helper()
	n := r.do(driver.Open, driver.FD{}, nil, driver.FileArgs{Path: r.path(name), Flags: flags, Mode: 0o600})
	if n < 0 {
		r.Fatalf("open %s: %s", name, result(n))
	}
	return r.adopt(int(n))
}

func (r *rig) wantFile(fd driver.FD, off int64, data string) {
	r.Helper()
	buf := make([]byte, len(data)+1)
	n := r.do(driver.Read, fd, buf, driver.FileArgs{Off: off})
	if n < 0 || string(buf[:n]) != data {
		r.Fatalf("read at %d: %s %q, want %q", off, result(n), buf[:max(n, 0)], data)
	}
}

const readWrite = unix.O_RDWR | unix.O_CREAT

func testFileReadWrite(r *rig) {
	f := r.open("file", readWrite|unix.O_EXCL)
	flags, err := unix.FcntlInt(uintptr(f.Sysfd), unix.F_GETFD, 0)
	r.check("fcntl", err)
	if flags&unix.FD_CLOEXEC == 0 {
		r.Errorf("the opened descriptor is not close-on-exec")
	}
	r.wantFile(f, 0, "")
	r.must(5, driver.Write, f, []byte("hello"), driver.FileArgs{Off: 3})
	r.wantFile(f, 0, "\x00\x00\x00hello")
	r.wantFile(f, 5, "llo")
	r.wantFile(f, 8, "")
	r.must(0, driver.Read, f, nil, driver.FileArgs{})
	r.must(0, driver.Write, f, nil, driver.FileArgs{})

	// None of this has moved the position.
	r.must(4, driver.Write, f, []byte("abcd"), driver.FileArgs{Off: driver.CurrentPosition})
	r.wantFile(f, driver.CurrentPosition, "ello")
	r.wantFile(f, driver.CurrentPosition, "")
	_, err = unix.Seek(int(f.Sysfd), 2, 0)
	r.check("lseek", err)
	r.wantFile(f, driver.CurrentPosition, "cdello")

	a := r.open("file", unix.O_WRONLY|unix.O_APPEND)
	r.must(3, driver.Write, a, []byte("end"), driver.FileArgs{Off: driver.CurrentPosition})
	r.wantFile(f, 0, "abcdelloend")
	r.must(errno(unix.EBADF), driver.Read, a, make([]byte, 1), driver.FileArgs{})

	r.must(0, driver.Sync, f, nil, driver.FileArgs{})
	r.must(0, driver.Sync, f, nil, driver.FileArgs{Flags: driver.DataOnly})
	r.must(0, driver.Truncate, f, nil, driver.FileArgs{Len: 4})
	r.wantFile(f, 0, "abcd")
	r.want(r.closing(f), 0)
	r.must(errno(unix.EBADF), driver.Read, f, make([]byte, 1), driver.FileArgs{})
}

// testFileBig moves more than fits anywhere at once.
func testFileBig(r *rig) {
	const total = 3<<20 + 17
	f := r.open("file", readWrite)
	for pos := 0; pos < total; {
		n := r.do(driver.Write, f, newPattern(total-pos, pos), driver.FileArgs{Off: int64(pos)})
		if n <= 0 {
			r.Fatalf("after %d bytes: %s", pos, result(n))
		}
		pos += int(n)
	}
	buf := make([]byte, total+1)
	for pos := 0; pos < total; {
		n := r.do(driver.Read, f, buf, driver.FileArgs{Off: int64(pos)})
		if n <= 0 {
			r.Fatalf("after %d bytes: %s", pos, result(n))
		}
		pos = r.wantPattern(buf[:n], pos)
	}
	if st := r.stat(driver.FD{}, "file", 0); statField(st, statxSize) != total {
		r.Errorf("size is %d, want %d", statField(st, statxSize), total)
	}
}

// The offsets of fields in a struct statx.
const (
	statxMode = 28
	statxSize = 40
)

func (r *rig) stat(fd driver.FD, name string, flags uint32) []byte {
	r.Helper()
	buf := make([]byte, driver.StatSize)
	args := driver.FileArgs{Flags: flags}
	if name != "" {
		args.Path = r.path(name)
	}
	r.must(0, driver.Stat, fd, buf, args)
	return buf
}

func statField(st []byte, at int) uint64 { return binary.NativeEndian.Uint64(st[at:]) }

func fileType(st []byte) uint16 { return binary.NativeEndian.Uint16(st[statxMode:]) & unix.S_IFMT }

func testFileStat(r *rig) {
	f := r.open("file", readWrite)
	r.must(7, driver.Write, f, []byte("content"), driver.FileArgs{})
	r.check("symlink", unix.Symlink("file", filepath.Join(r.dir(), "link")))
	for _, c := range []struct {
		name  string
		flags uint32
		kind  uint16
		size  uint64
	}{{"", 0, unix.S_IFREG, 7}, {"file", 0, unix.S_IFREG, 7}, {"link", 0, unix.S_IFREG, 7}, {"link", driver.NoFollow, unix.S_IFLNK, 4}} {
		st := r.stat(f, c.name, c.flags)
		if fileType(st) != c.kind || statField(st, statxSize) != c.size {
			r.Errorf("stat %q with flags %d: type %#o, size %d", c.name, c.flags, fileType(st), statField(st, statxSize))
		}
	}
	r.must(errno(unix.ENOENT), driver.Stat, driver.FD{}, make([]byte, driver.StatSize), driver.FileArgs{Path: r.path("nothing")})
}

func testFileNames(r *rig) {
	at := func(name string) driver.FileArgs { return driver.FileArgs{Path: r.path(name), Mode: 0o700} }
	none := driver.FD{}
	r.must(0, driver.Mkdir, none, nil, at("dir"))
	r.must(errno(unix.EEXIST), driver.Mkdir, none, nil, at("dir"))
	r.must(errno(unix.ENOENT), driver.Mkdir, none, nil, at("no/dir"))
	f := r.open("dir/a", readWrite)
	r.must(errno(unix.EEXIST), driver.Open, none, nil, driver.FileArgs{Path: r.path("dir/a"), Flags: readWrite | unix.O_EXCL})
	r.must(errno(unix.ENOENT), driver.Open, none, nil, driver.FileArgs{Path: r.path("dir/b")})
	r.must(errno(unix.EISDIR), driver.Open, none, nil, driver.FileArgs{Path: r.path("dir"), Flags: unix.O_WRONLY})
	r.must(errno(unix.ENOTDIR), driver.Open, none, nil, driver.FileArgs{Path: r.path("dir/a/b")})

	rename := at("dir/a")
	rename.NewPath = r.path("dir/b")
	r.must(0, driver.Rename, none, nil, rename)
	r.must(errno(unix.ENOENT), driver.Rename, none, nil, rename)

	d := r.open("dir", unix.O_RDONLY|unix.O_DIRECTORY)
	r.must(errno(unix.EISDIR), driver.Read, d, make([]byte, 10), driver.FileArgs{Off: driver.CurrentPosition})
	r.must(errno(unix.EISDIR), driver.Open, none, nil, driver.FileArgs{Path: r.path("dir"), Flags: readWrite})
	r.want(r.closing(f), 0)

	r.must(errno(unix.EISDIR), driver.Unlink, none, nil, at("dir"))
	dir := at("dir")
	dir.Flags = driver.Directory
	r.must(errno(unix.ENOTEMPTY), driver.Unlink, none, nil, dir)
	r.must(0, driver.Unlink, none, nil, at("dir/b"))
	r.must(errno(unix.ENOENT), driver.Unlink, none, nil, at("dir/b"))
	r.must(0, driver.Unlink, none, nil, dir)
}

func testFileSpace(r *rig) {
	f := r.open("file", readWrite)
	n := r.do(driver.Allocate, f, nil, driver.FileArgs{Off: 4096, Len: 8192})
	if n == errno(unix.EOPNOTSUPP) {
		r.Skip("the file system cannot allocate")
	}
	if n != 0 {
		r.Fatalf("allocate: %s", result(n))
	}
	if size := statField(r.stat(f, "", 0), statxSize); size != 3*4096 {
		r.Errorf("size is %d after allocating", size)
	}
	r.must(0, driver.Allocate, f, nil, driver.FileArgs{Off: 0, Len: 1 << 20, Mode: unix.FALLOC_FL_KEEP_SIZE})
	if size := statField(r.stat(f, "", 0), statxSize); size != 3*4096 {
		r.Errorf("size is %d after allocating with KEEP_SIZE", size)
	}
	r.must(errno(unix.EINVAL), driver.Allocate, f, nil, driver.FileArgs{Len: -1})
}

// testFileMany has more in flight than anything carries out at once, and cancels
// some of it.
func testFileMany(r *rig) {
	const count = 500
	f := r.open("file", readWrite)
	ops := make([]*op, count)
	for i := range ops {
		ops[i] = r.fileOp(driver.Write, f, newPattern(100, i*100), driver.FileArgs{Off: int64(i * 100)})
		r.submit(ops[i])
	}
	for _, o := range ops {
		r.want(o, 100)
	}
	cancelled := 0
	for i := range ops {
		ops[i] = r.fileOp(driver.Read, f, make([]byte, 100), driver.FileArgs{Off: int64(i * 100)})
		r.submit(ops[i])
		if i%5 == 0 {
			r.cancel(ops[i])
		}
	}
	for i, o := range ops {
		if n := r.end(o); n == errno(unix.ECANCELED) && i%5 == 0 {
			cancelled++
		} else if n != 100 {
			r.Fatalf("read %d: %s", i, result(n))
		} else {
			r.wantPattern(o.Buf, i*100)
		}
	}
	r.Logf("%d of %d cancelled reads did not take place", cancelled, count/5)
}

func testFileCall(r *rig) {
	var called atomic.Int32
	ops := make([]*op, 200)
	for i := range ops {
		ops[i] = r.fileOp(driver.Call, driver.FD{}, nil, driver.FileArgs{Func: func() { called.Add(1) }})
		ops[i].Res = 7
		r.submit(ops[i])
	}
	for _, o := range ops {
		r.want(o, 0)
	}
	if n := called.Load(); n != 200 {
		r.Errorf("%d of 200 functions were called", n)
	}
	// One that blocks holds up neither the driver nor others.
	release := make(chan struct{})
	slow := r.fileOp(driver.Call, driver.FD{}, nil, driver.FileArgs{Func: func() { <-release }})
	r.pending(slow)
	r.must(0, driver.Call, driver.FD{}, nil, driver.FileArgs{Func: func() {}})
	a, b := r.pair()
	r.talk(a, b)
	r.cancel(slow) // too late
	r.settle()
	if !slow.inFlight {
		r.Fatalf("a function that runs was cancelled")
	}
	close(release)
	r.want(slow, 0)
}

// testFileOpenCancelled cancels opens. Each that ends with a descriptor hands it over.
func testFileOpenCancelled(r *rig) {
	r.open("file", readWrite)
	before := r.countDescriptors()
	for range 200 {
		o := r.fileOp(driver.Open, driver.FD{}, nil, driver.FileArgs{Path: r.path("file")})
		r.submit(o)
		r.cancel(o)
		if n := r.end(o); n >= 0 {
			r.check("close", unix.Close(int(n)))
		} else if n != errno(unix.ECANCELED) {
			r.Fatalf("open: %s", result(n))
		}
	}
	if after := r.countDescriptors(); after != before {
		r.Errorf("%d descriptors became %d", before, after)
	}
}

func (r *rig) countDescriptors() int {
	r.Helper()
	n := 0
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			n++
		}
	}
	return n
}

// pipe returns the two ends of a non-blocking pipe.
func (r *rig) pipe() (in, out driver.FD) {
	r.Helper()
	var p [2]int
	r.check("pipe2", unix.Pipe2(p[:], unix.O_NONBLOCK|unix.O_CLOEXEC))
	return r.adopt(p[0]), r.adopt(p[1])
}

var streamArgs = driver.FileArgs{Off: driver.CurrentPosition, Flags: driver.Stream}

// testFileStream reads and writes a pipe, which can be waited for.
func testFileStream(r *rig) {
	in, out := r.pipe()
	for range 3 {
		o := r.pending(r.fileOp(driver.Read, in, make([]byte, 16), streamArgs))
		r.must(5, driver.Write, out, []byte("bytes"), streamArgs)
		r.wantBytes(o, "bytes")
		o = r.pending(r.fileOp(driver.Read, in, make([]byte, 16), streamArgs))
		r.cancel(o)
		r.want(o, errno(unix.ECANCELED))
	}
	filled := 0
	var o *op
	for {
		o = r.fileOp(driver.Write, out, make([]byte, 4096), streamArgs)
		r.submit(o)
		r.settle()
		if o.inFlight {
			break
		}
		filled += int(r.end(o))
	}
	got := 0
	for buf := make([]byte, 1<<16); got < filled+4096; {
		n := r.do(driver.Read, in, buf, streamArgs)
		if n <= 0 {
			r.Fatalf("after %d bytes: %s", got, result(n))
		}
		got += int(n)
	}
	r.want(o, 4096)
	last := r.pending(r.fileOp(driver.Read, in, make([]byte, 16), streamArgs))
	r.want(r.closing(out), 0)
	r.want(last, 0)
}

// testFileDriverClose closes the driver with operations on files in flight.
func testFileDriverClose(r *rig) {
	f := r.open("file", readWrite)
	in, out := r.pipe()
	waiting := r.pending(r.fileOp(driver.Read, in, make([]byte, 16), streamArgs))
	var running atomic.Int32
	var ops []*op
	for i := range 300 {
		var o *op
		switch i % 3 {
		case 0:
			o = r.fileOp(driver.Write, f, newPattern(100, i*100), driver.FileArgs{Off: int64(i * 100)})
		case 1:
			o = r.fileOp(driver.Stat, f, make([]byte, driver.StatSize), driver.FileArgs{})
		case 2:
			o = r.fileOp(driver.Call, driver.FD{}, nil, driver.FileArgs{Func: func() {
				running.Add(1)
				unix.Fsync(int(f.Sysfd))
				running.Add(-1)
			}})
		}
		r.submit(o)
		ops = append(ops, o)
	}
	r.settle()
	r.closeDriver()
	if n := running.Load(); n != 0 {
		r.Errorf("%d functions are running after the driver was closed", n)
	}
	for _, o := range append(ops, waiting) {
		if o.ends != 1 {
			r.Errorf("ended %d times, %s", o.ends, o)
		}
	}
	r.want(waiting, errno(unix.ECANCELED))
	r.write(out, []byte("after"))
	if !bytes.Equal(waiting.Buf, make([]byte, 16)) {
		r.Errorf("rule 5: a buffer was written to after the end")
	}
}
