//go:build !cogen_portable

package rt

// Cancel implements [Canceler]. A read that was given up has read nothing, and its error is
// [context.Canceled].
func (r *FileReadFuture) Cancel(*Context) { r.here.io.canceled = true }

// Canceled implements [Canceler].
func (r *FileReadFuture) Canceled() bool { return r.here.io.gaveUp }

// Cancel implements [Canceler]. The error of a write that was given up is
// [context.Canceled]; Result has the number of bytes written before.
func (w *FileWriteFuture) Cancel(*Context) { w.here.io.canceled = true }

// Canceled implements [Canceler]. It is true only if nothing has been written.
func (w *FileWriteFuture) Canceled() bool { return w.here.n == 0 && w.here.io.gaveUp }
