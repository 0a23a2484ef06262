//go:build linux

package uring

import "golang.org/x/sys/unix"

// Paths are NUL-terminated, see unix.BytePtrFromString. dirfd may be AT_FDCWD. An
// offset of -1 means the file's own position.

// PrepRead reads at offset off into buf.
func (e *SQE) PrepRead(fd int32, buf []byte, off int64) {
	e.prepTransfer(OpRead, fd, buf, 0)
	e.Off = uint64(off)
}

// PrepWrite writes buf at offset off.
func (e *SQE) PrepWrite(fd int32, buf []byte, off int64) {
	e.prepTransfer(OpWrite, fd, buf, 0)
	e.Off = uint64(off)
}

// PrepReadFixed is PrepRead into a part of the registered buffer with the given
// index.
func (e *SQE) PrepReadFixed(fd int32, buf []byte, off int64, index uint16) {
	e.PrepRead(fd, buf, off)
	e.Opcode, e.BufIndex = OpReadFixed, index
}

// PrepWriteFixed is PrepWrite from a part of the registered buffer with the given
// index.
func (e *SQE) PrepWriteFixed(fd int32, buf []byte, off int64, index uint16) {
	e.PrepWrite(fd, buf, off)
	e.Opcode, e.BufIndex = OpWriteFixed, index
}

// PrepReadv reads at offset off into several buffers, 1024 at most. flags are RWF_*.
func (e *SQE) PrepReadv(fd int32, bufs []unix.Iovec, off int64, flags uint32) {
	*e = SQE{Opcode: OpReadv, FD: fd, Addr: array(bufs), Len: uint32(len(bufs)), Off: uint64(off), OpFlags: flags}
}

// PrepWritev writes several buffers at offset off, 1024 at most. flags are RWF_*.
func (e *SQE) PrepWritev(fd int32, bufs []unix.Iovec, off int64, flags uint32) {
	e.PrepReadv(fd, bufs, off, flags)
	e.Opcode = OpWritev
}

// PrepReadMultishot reads again and again from something that can be polled, a pipe
// for instance (Linux 6.7), into buffers of the given group; see PrepRecvMultishot.
func (e *SQE) PrepReadMultishot(fd int32, group uint16) {
	*e = SQE{Opcode: OpReadMultishot, FD: fd, Off: ^uint64(0)}
	e.SelectBuffer(group)
}

// PrepOpenat opens a file. The result is the descriptor.
func (e *SQE) PrepOpenat(dirfd int32, path *byte, flags, mode uint32) {
	*e = SQE{Opcode: OpOpenat, FD: dirfd, Addr: pointer(path), Len: mode, OpFlags: flags}
}

// PrepOpenat2 opens a file. The result is the descriptor.
func (e *SQE) PrepOpenat2(dirfd int32, path *byte, how *unix.OpenHow) {
	*e = SQE{Opcode: OpOpenat2, FD: dirfd, Addr: pointer(path), Off: pointer(how), Len: uint32(sizeof(how))}
}

// PrepStatx asks for the attributes mask of a file.
func (e *SQE) PrepStatx(dirfd int32, path *byte, flags, mask uint32, stat *unix.Statx_t) {
	*e = SQE{Opcode: OpStatx, FD: dirfd, Addr: pointer(path), Len: mask, Off: pointer(stat), OpFlags: flags}
}

// PrepFsync writes a file's data to its disk, and with flags 0 rather than
// FsyncDatasync all of its metadata too.
func (e *SQE) PrepFsync(fd int32, flags uint32) {
	*e = SQE{Opcode: OpFsync, FD: fd, OpFlags: flags}
}

// PrepSyncFileRange is sync_file_range(2). n is 0 for the rest of the file.
func (e *SQE) PrepSyncFileRange(fd int32, off int64, n, flags uint32) {
	*e = SQE{Opcode: OpSyncFileRange, FD: fd, Off: uint64(off), Len: n, OpFlags: flags}
}

// PrepFallocate is fallocate(2).
func (e *SQE) PrepFallocate(fd int32, mode uint32, off, n int64) {
	*e = SQE{Opcode: OpFallocate, FD: fd, Off: uint64(off), Addr: uint64(n), Len: mode}
}

// PrepFtruncate sets the length of a file (Linux 6.9).
func (e *SQE) PrepFtruncate(fd int32, size int64) {
	*e = SQE{Opcode: OpFtruncate, FD: fd, Off: uint64(size)}
}

// PrepFadvise is posix_fadvise(2).
func (e *SQE) PrepFadvise(fd int32, off int64, n uint32, advice uint32) {
	*e = SQE{Opcode: OpFadvise, FD: fd, Off: uint64(off), Len: n, OpFlags: advice}
}

// PrepMadvise is madvise(2) for the pages of mem, which begins on one.
func (e *SQE) PrepMadvise(mem []byte, advice uint32) {
	*e = SQE{Opcode: OpMadvise, FD: -1, Addr: array(mem), Len: uint32(len(mem)), OpFlags: advice}
}

// PrepRenameat renames a file (Linux 5.11). flags are RENAME_*.
func (e *SQE) PrepRenameat(olddirfd int32, oldpath *byte, newdirfd int32, newpath *byte, flags uint32) {
	*e = SQE{Opcode: OpRenameat, FD: olddirfd, Addr: pointer(oldpath), Len: uint32(newdirfd), Off: pointer(newpath), OpFlags: flags}
}

// PrepUnlinkat removes a file, or with AT_REMOVEDIR a directory (Linux 5.11).
func (e *SQE) PrepUnlinkat(dirfd int32, path *byte, flags uint32) {
	*e = SQE{Opcode: OpUnlinkat, FD: dirfd, Addr: pointer(path), OpFlags: flags}
}

// PrepMkdirat makes a directory (Linux 5.15).
func (e *SQE) PrepMkdirat(dirfd int32, path *byte, mode uint32) {
	*e = SQE{Opcode: OpMkdirat, FD: dirfd, Addr: pointer(path), Len: mode}
}

// PrepSymlinkat makes a symbolic link at path (Linux 5.15).
func (e *SQE) PrepSymlinkat(target *byte, dirfd int32, path *byte) {
	*e = SQE{Opcode: OpSymlinkat, FD: dirfd, Addr: pointer(target), Off: pointer(path)}
}

// PrepLinkat makes another name for a file (Linux 5.15).
func (e *SQE) PrepLinkat(olddirfd int32, oldpath *byte, newdirfd int32, newpath *byte, flags uint32) {
	*e = SQE{Opcode: OpLinkat, FD: olddirfd, Addr: pointer(oldpath), Len: uint32(newdirfd), Off: pointer(newpath), OpFlags: flags}
}

// PrepSplice moves at most n bytes between two descriptors, one of which is a pipe.
// The offset of a pipe is -1. The result is the number of bytes. It blocks a thread
// of the kernel's while there is nothing to move. With SpliceFDInFixed in is a
// registered file; with SQEFixedFile, out.
func (e *SQE) PrepSplice(in int32, inOff int64, out int32, outOff int64, n, flags uint32) {
	*e = SQE{Opcode: OpSplice, FD: out, Off: uint64(outOff), Addr: uint64(inOff), FileIndex: uint32(in), Len: n, OpFlags: flags}
}

// PrepTee copies at most n bytes from one pipe to another, leaving them in the first.
func (e *SQE) PrepTee(in, out int32, n, flags uint32) {
	*e = SQE{Opcode: OpTee, FD: out, FileIndex: uint32(in), Len: n, OpFlags: flags}
}

// PrepPipe makes a pipe (Linux 6.16); fds are its two ends, reading first.
func (e *SQE) PrepPipe(fds *[2]int32, flags uint32) {
	*e = SQE{Opcode: OpPipe, Addr: pointer(fds), OpFlags: flags}
}
