//go:build !linux || cogen_portable

package rt

import "os"

// hereJob is an operation at the position of a file, or on a stream.
type hereJob struct {
	offload        // for what may have to wait
	io      fileOp // for what does not
	file    *File
	b       []byte
	n       int
	err     error
	done    bool // there is no way to do it
	do      func(*os.File, []byte) (int, error)
}

func (j *hereJob) start(f *File, b []byte, do func(*os.File, []byte) (int, error)) {
	j.reset()
	j.file, j.b, j.n, j.err, j.done, j.do = f, b, 0, nil, false, do
	if !f.ok() {
		j.err, j.done = os.ErrInvalid, true
		return
	}
	j.io.call(j.work)
}

func (j *hereJob) work() {
	j.n, j.err = j.do(j.file.sys.os, j.b)
	j.b = nil
}

func (j *hereJob) Poll(cx *Context) bool {
	if j.done {
		return true
	}
	if !j.file.sys.regular {
		return j.poll(cx, j, nil)
	}
	ended, err := j.io.poll(cx)
	if ended && err != nil {
		j.err = err
	}
	return ended
}

func (j *hereJob) now() {
	if !j.done {
		j.work()
	}
}

func (j *hereJob) plain() (int, error) {
	carryOut(j)
	return j.n, j.err
}

// Read reads at most len(b) bytes at the position of the file into b. At the end
// of the file it returns 0 and io.EOF.
func (f *File) Read(b []byte) (n int, err error) { return f.ReadAsync(b).here.plain() }

// ReadAsync is the async form of Read. The future owns b until it has finished.
func (f *File) ReadAsync(b []byte) *FileReadFuture {
	r := new(FileReadFuture)
	r.Init(f, b)
	return r
}

// FileReadFuture is a [File.Read] in progress.
type FileReadFuture struct{ here hereJob }

// Init makes r a read from f into b. It may be used again after it has finished.
func (r *FileReadFuture) Init(f *File, b []byte) { r.here.start(f, b, (*os.File).Read) }

// Poll carries the read on.
func (r *FileReadFuture) Poll(cx *Context) bool { return r.here.Poll(cx) }

// Result returns what [File.Read] returns.
func (r *FileReadFuture) Result() (n int, err error) { return r.here.n, r.here.err }

// Write writes b at the position of the file, or at its end if it was opened with
// O_APPEND: all of b unless it returns an error. What one call writes is not
// interleaved with what another does.
func (f *File) Write(b []byte) (n int, err error) { return f.WriteAsync(b).here.plain() }

// WriteAsync is the async form of Write. The future owns b until it has finished.
func (f *File) WriteAsync(b []byte) *FileWriteFuture {
	w := new(FileWriteFuture)
	w.Init(f, b)
	return w
}

// FileWriteFuture is a [File.Write] in progress.
type FileWriteFuture struct{ here hereJob }

// Init makes w a write of b to f. It may be used again after it has finished.
func (w *FileWriteFuture) Init(f *File, b []byte) { w.here.start(f, b, (*os.File).Write) }

// Poll carries the write on.
func (w *FileWriteFuture) Poll(cx *Context) bool { return w.here.Poll(cx) }

// Result returns what [File.Write] returns.
func (w *FileWriteFuture) Result() (n int, err error) { return w.here.n, w.here.err }

// Seek sets the position for the next Read or Write, as [io.Seeker] says, and
// returns it.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if !f.ok() {
		return 0, os.ErrInvalid
	}
	return f.sys.os.Seek(offset, whence)
}

// SeekAsync is the async form of Seek.
func (f *File) SeekAsync(offset int64, whence int) *FileSeekFuture {
	s := new(FileSeekFuture)
	s.Init(f, offset, whence)
	return s
}

// FileSeekFuture is a [File.Seek] in progress.
type FileSeekFuture struct {
	file   *File
	offset int64 // in the end, the position
	whence int
	err    error
}

// Init makes s a seek in f. It may be used again after it has finished.
func (s *FileSeekFuture) Init(f *File, offset int64, whence int) {
	s.file, s.offset, s.whence, s.err = f, offset, whence, nil
}

// Poll carries the seek out, which needs no waiting.
func (s *FileSeekFuture) Poll(*Context) bool {
	s.offset, s.err = s.file.Seek(s.offset, s.whence)
	return true
}

// Result returns what [File.Seek] returns.
func (s *FileSeekFuture) Result() (int64, error) { return s.offset, s.err }

// Close closes the file. Reads and writes of a stream that are waiting fail with
// [os.ErrClosed].
func (f *File) Close() error {
	if !f.ok() {
		return os.ErrInvalid
	}
	return f.sys.os.Close()
}

// CloseAsync is the async form of Close.
func (f *File) CloseAsync() *FileCloseFuture {
	c := new(FileCloseFuture)
	c.Init(f)
	return c
}

// FileCloseFuture is a [File.Close] in progress.
type FileCloseFuture struct {
	file *File
	err  error
}

// Init makes c the closing of f.
func (c *FileCloseFuture) Init(f *File) { c.file, c.err = f, nil }

// Poll closes the file, which needs no waiting.
func (c *FileCloseFuture) Poll(*Context) bool {
	c.err = c.file.Close()
	return true
}

// Result returns what [File.Close] returns.
func (c *FileCloseFuture) Result() error { return c.err }
