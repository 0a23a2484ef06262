package rt

import "io"

// ReadFrom writes what r has left at the position of the file, until the end of r.
// If r is a File, or an [io.LimitedReader] of one, the bytes are copied without
// passing through memory of the process, where the file system can do that.
func (f *File) ReadFrom(r io.Reader) (n int64, err error) {
	limit := int64(-1)
	src, isFile := r.(*File)
	if l, ok := r.(*io.LimitedReader); ok {
		src, isFile = l.R.(*File)
		limit = max(l.N, 0)
		defer func() {
			if isFile {
				l.N -= n
			}
		}()
	}
	if isFile && src.ok() && f.ok() {
		var done bool
		if n, done, err = f.copyFrom(src, limit); done {
			return n, err
		}
		// What is left is copied as by anybody.
		r = plainReader{src}
		if limit >= 0 {
			r = io.LimitReader(r, limit-n)
		}
	} else {
		isFile = false
	}
	m, err := io.Copy(plainWriter{f}, r)
	return n + m, err
}

// WriteTo writes what the file has left, from its position on, to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	if dst, ok := w.(*File); ok {
		return dst.ReadFrom(f)
	}
	return io.Copy(w, plainReader{f})
}

// plainReader and plainWriter hide what io.Copy would call again.
type (
	plainReader struct{ f *File }
	plainWriter struct{ f *File }
)

func (p plainReader) Read(b []byte) (int, error)  { return p.f.Read(b) }
func (p plainWriter) Write(b []byte) (int, error) { return p.f.Write(b) }
