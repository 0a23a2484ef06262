package rt

import (
	"io"
	"io/fs"
	"os"
)

// ReadFile returns the content of the named file, as [os.ReadFile] does.
func ReadFile(name string) ([]byte, error) {
	if contextHere() == nil {
		return os.ReadFile(name)
	}
	f := ReadFileAsync(name)
	block(f)
	return f.Result()
}

// ReadFileAsync is the async form of ReadFile.
func ReadFileAsync(name string) *ReadFileFuture {
	f := new(ReadFileFuture)
	f.Init(name)
	return f
}

// ReadFileFuture is a [ReadFile] in progress.
type ReadFileFuture struct {
	open  OpenFuture
	read  FileReadFuture
	close FileCloseFuture
	phase wholePhase
	data  []byte
	err   error
}

type wholePhase uint8

const (
	wholeOpening wholePhase = iota
	wholeMoving             // reading or writing
	wholeClosing
)

// Init makes f the reading of a file. It may be used again after it has finished.
func (f *ReadFileFuture) Init(name string) {
	f.open.Init(name, os.O_RDONLY, 0)
	f.phase, f.data, f.err = wholeOpening, nil, nil
}

// What is read at first: a little more than the file's size, so that the end is
// found at once, or for files that have no size to speak of (/proc), this much.
const leastRead = 512

// Poll carries the reading on.
func (f *ReadFileFuture) Poll(cx *Context) bool {
	switch f.phase {
	case wholeOpening:
		if !f.open.Poll(cx) {
			return false
		}
		file, err := f.open.Result()
		if err != nil {
			f.err = err
			return true
		}
		f.data = make([]byte, 0, max(int(file.sys.sizeHint())+1, leastRead))
		f.next(file)
		fallthrough
	case wholeMoving:
		for f.phase == wholeMoving {
			if !f.read.Poll(cx) {
				return false
			}
			f.moved(f.read.Result())
		}
		fallthrough
	case wholeClosing:
		if !f.close.Poll(cx) {
			return false
		}
	}
	f.open.file = nil
	return true
}

// next reads into the free end of the buffer.
func (f *ReadFileFuture) next(file *File) {
	if len(f.data) == cap(f.data) {
		f.data = append(f.data, 0)[:len(f.data)]
	}
	f.read.Init(file, f.data[len(f.data):cap(f.data)])
	f.phase = wholeMoving
}

func (f *ReadFileFuture) moved(n int, err error) {
	f.data = f.data[:len(f.data)+n]
	if err == nil {
		f.next(f.open.file)
		return
	}
	if err != io.EOF {
		f.err = err
	}
	f.close.Init(f.open.file)
	f.phase = wholeClosing
}

// Result returns what [ReadFile] returns.
func (f *ReadFileFuture) Result() ([]byte, error) { return f.data, f.err }

// WriteFile makes the named file, or truncates it if it exists, and writes data
// to it, as [os.WriteFile] does.
func WriteFile(name string, data []byte, perm fs.FileMode) error {
	if contextHere() == nil {
		return os.WriteFile(name, data, perm)
	}
	f := WriteFileAsync(name, data, perm)
	block(f)
	return f.Result()
}

// WriteFileAsync is the async form of WriteFile. The future owns data until it has
// finished.
func WriteFileAsync(name string, data []byte, perm fs.FileMode) *WriteFileFuture {
	f := new(WriteFileFuture)
	f.Init(name, data, perm)
	return f
}

// WriteFileFuture is a [WriteFile] in progress.
type WriteFileFuture struct {
	open  OpenFuture
	write FileWriteFuture
	close FileCloseFuture
	phase wholePhase
	data  []byte
	err   error
}

// Init makes f the writing of a file. It may be used again after it has finished.
func (f *WriteFileFuture) Init(name string, data []byte, perm fs.FileMode) {
	f.open.Init(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	f.phase, f.data, f.err = wholeOpening, data, nil
}

// Poll carries the writing on.
func (f *WriteFileFuture) Poll(cx *Context) bool {
	switch f.phase {
	case wholeOpening:
		if !f.open.Poll(cx) {
			return false
		}
		file, err := f.open.Result()
		if err != nil {
			f.err, f.data = err, nil
			return true
		}
		f.write.Init(file, f.data)
		f.phase, f.data = wholeMoving, nil
		fallthrough
	case wholeMoving:
		if !f.write.Poll(cx) {
			return false
		}
		_, f.err = f.write.Result()
		f.close.Init(f.open.file)
		f.phase = wholeClosing
		fallthrough
	case wholeClosing:
		if !f.close.Poll(cx) {
			return false
		}
		if f.err == nil {
			f.err = f.close.Result()
		}
	}
	f.open.file = nil
	return true
}

// Result returns what [WriteFile] returns.
func (f *WriteFileFuture) Result() error { return f.err }
