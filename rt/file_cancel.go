package rt

// How operations on files are given up. One that has not begun does not begin any more; the
// others cannot be stopped, or not all, and are waited for. So a read or write that was given up
// may have moved something, and its buffer is free when its future has finished.

// Cancel implements [Canceler]. The error of a read that was given up is [context.Canceled].
func (r *FileReadAtFuture) Cancel(*Context) { r.at.io.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been read.
func (r *FileReadAtFuture) Canceled() bool { return r.at.n == 0 && r.at.io.gaveUp }

// Cancel implements [Canceler]. The error of a write that was given up is [context.Canceled].
func (w *FileWriteAtFuture) Cancel(*Context) { w.at.io.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (w *FileWriteAtFuture) Canceled() bool { return w.at.n == 0 && w.at.io.gaveUp }

// Cancel implements [Canceler]. The error of an operation that was given up is
// [context.Canceled].
func (f *FileFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *FileFuture) Canceled() bool { return f.io.gaveUp }

// Cancel implements [Canceler].
func (s *StatFuture) Cancel(*Context) { s.io.canceled = true }

// Canceled implements [Canceler].
func (s *StatFuture) Canceled() bool { return s.io.gaveUp }

// Cancel implements [Canceler].
func (d *ReadDirFuture) Cancel(*Context) { d.io.canceled = true }

// Canceled implements [Canceler].
func (d *ReadDirFuture) Canceled() bool { return d.io.gaveUp }

// Cancel implements [Canceler]. It does not end the wait for the other end of a named pipe.
func (f *OpenFuture) Cancel(*Context) { f.io.canceled = true }

// Canceled implements [Canceler].
func (f *OpenFuture) Canceled() bool { return f.io.gaveUp }
