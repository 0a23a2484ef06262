//go:build linux

package main

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// files makes a file, writes and reads it in all ways, and removes it.
//
//cogen:async
func (r *round) files(x *rand.Rand) {
	name := filepath.Join(r.dir, fmt.Sprintf("%016x", x.Uint64()))
	f, err := rt.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		r.tolerate("create a file", err)
		return
	}
	key := byte(x.IntN(16))
	size := int64(0)
	for range 1 + x.IntN(10) {
		b := piece(key, size, 1+x.IntN(1<<x.IntN(17)))
		if n, err := f.Write(b); err != nil {
			r.failf("write of %d bytes to a file: %d, %v", len(b), n, err)
		}
		size += int64(len(b))
	}
	if x.IntN(20) == 0 {
		if err := f.Sync(); err != nil {
			r.failf("sync: %v", err)
		}
	}
	buf := make([]byte, 1+x.IntN(64<<10))
	for range 5 {
		off := x.Int64N(size)
		want := min(int64(len(buf)), size-off)
		n, err := f.ReadAt(buf, off)
		if int64(n) != want || err != nil && err != io.EOF {
			r.failf("read of %d bytes at %d of %d: %d, %v", len(buf), off, size, n, err)
		}
		r.mustFollow("file", key, off, buf[:n])
		// Over itself, while others do the same elsewhere.
		if n, err := f.WriteAt(piece(key, off, int(want)), off); err != nil || int64(n) != min(want, period) {
			r.failf("write at %d: %d, %v", off, n, err)
		}
		r.did("file")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		r.failf("seek: %v", err)
	}
	for offset := int64(0); ; {
		n, err := f.Read(buf)
		r.mustFollow("file from its start", key, offset, buf[:n])
		offset += int64(n)
		if err == io.EOF && offset == size {
			break
		}
		if err != nil {
			r.failf("read at %d of %d: %v", offset, size, err)
		}
	}
	renamed := name + ".renamed"
	if err := rt.Rename(name, renamed); err != nil {
		r.failf("rename: %v", err)
	}
	if info, err := rt.Stat(renamed); err != nil || info.Size() != size {
		r.failf("stat of a file of %d bytes: %v, %v", size, info, err)
	}
	if x.IntN(2) == 0 {
		if err := f.Close(); err != nil {
			r.failf("close of a file: %v", err)
		}
	} // else it is closed by the collector
	r.cutShort(x, renamed)
	if err := rt.Remove(renamed); err != nil {
		r.failf("remove: %v", err)
	}
	if _, err := rt.Lstat(renamed); !os.IsNotExist(err) {
		r.failf("a file that was removed: %v", err)
	}
}

// cutShort has operations on a file that have no time.
//
//cogen:async
func (r *round) cutShort(x *rand.Rand, name string) {
	limit := time.Duration(x.IntN(100)) * time.Microsecond
	f, err := rt.WithTimeout(limit, rt.OpenAsync(name)).Result()
	if err != nil {
		if !timedOut(err) {
			r.tolerate("open a file", err)
		}
		r.did("open cut short")
		return
	}
	defer f.Close()
	buf := make([]byte, 16<<10)
	if _, err := rt.WithTimeout(limit, f.ReadAtAsync(buf, 0)).Result(); err != nil && err != io.EOF && !timedOut(err) {
		r.failf("read cut short: %v", err)
	}
	if _, err := rt.WithTimeout(limit, f.StatAsync()).Result(); err != nil && !timedOut(err) {
		r.failf("stat cut short: %v", err)
	}
	r.did("file cut short")
}

// directory lists the directory again and again.
//
//cogen:async
func (r *round) directory() {
	defer r.clients.Done()
	for !r.over.Load() {
		var entries []fs.DirEntry
		entries, err := rt.ReadDir(r.dir)
		if err != nil {
			r.tolerate("read the directory", err)
		}
		r.did("directory")
		rt.Sleep(time.Duration(1+len(entries)) * time.Millisecond)
	}
}
