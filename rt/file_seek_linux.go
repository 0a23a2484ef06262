//go:build !cogen_portable

package rt

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// Seek sets the position for the next Read or Write, as [io.Seeker] says, and
// returns it. It waits for a Read or Write that is under way.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	s := new(FileSeekFuture)
	s.Init(f, offset, whence)
	if contextHere() != nil || !s.attempt(offWorker) {
		block(s)
	}
	return s.Result()
}

// SeekAsync is the async form of Seek.
func (f *File) SeekAsync(offset int64, whence int) *FileSeekFuture {
	s := new(FileSeekFuture)
	s.Init(f, offset, whence)
	return s
}

// FileSeekFuture is a [File.Seek] in progress.
type FileSeekFuture struct {
	io     operation // waits for its turn, and then does nothing
	file   *File
	offset int64 // in the end, the position
	whence int
	err    error
}

// Init makes s a seek in f. It may be used again after it has finished.
func (s *FileSeekFuture) Init(f *File, offset int64, whence int) {
	s.file, s.offset, s.whence, s.err = f, offset, whence, nil
	if f.ok() {
		s.io.prepare(&f.sys.fd, driver.Nop, nil)
	}
}

// Poll carries the seek on.
func (s *FileSeekFuture) Poll(cx *Context) bool {
	if s.io.phase == phaseIdle && s.attempt(cx.worker) {
		return true
	}
	at := s.file.sys.position()
	ended, err := s.io.poll(cx, at)
	if !ended {
		return false
	}
	if err != nil {
		s.fail(err)
		return true
	}
	s.seek()
	s.io.finish(at)
	return true
}

// attempt seeks if that needs no waiting. holder is who does so.
func (s *FileSeekFuture) attempt(holder *worker) bool {
	if !s.file.ok() {
		s.offset, s.err = 0, os.ErrInvalid
		return true
	}
	d, at := &s.file.sys.fd, s.file.sys.position()
	if s.file.sys.stream {
		// A read may hold the side for ever; and there is no position to guard.
		if err := d.acquire(); err != nil {
			s.fail(err)
		} else {
			s.seek()
			d.drop()
		}
		return true
	}
	if !at.take(holder) {
		return false
	}
	if err := d.usable(at); err != nil {
		s.fail(err)
	} else {
		s.seek()
	}
	d.release(at)
	return true
}

// seek moves the position. It has the side.
func (s *FileSeekFuture) seek() {
	pos, err := unix.Seek(int(s.file.sys.fd.sys.Sysfd), s.offset, s.whence)
	if err != nil {
		s.fail(err)
		return
	}
	s.offset = pos
}

func (s *FileSeekFuture) fail(err error) {
	s.offset, s.err = 0, s.file.wrap("seek", osError(err))
}

// Result returns what [File.Seek] returns.
func (s *FileSeekFuture) Result() (int64, error) { return s.offset, s.err }
