//go:build linux && !cogen_portable

package rt

import (
	"io"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// sendingFile sends a file with sendfile(2). What is in memory is sent at once; what may have
// to be waited for, by a goroutine of the pool. The socket never makes either wait, the
// driver says when it takes more.
type sendingFile struct {
	dst     *Conn
	src     *File
	at      int64 // where to go on
	left    int64
	moved   int64
	out     operation // on the sending side of dst
	job     fileOp
	inPool  bool
	n       int // of the call in the pool
	errno   syscall.Errno
	refused bool
	given   bool // up
	begun   bool
	err     error
}

const (
	// sendNowSize is how much a worker sends at once, and sendLaterSize what the pool does.
	sendNowSize   = 256 << 10
	sendLaterSize = 1 << 20
)

func newSendingFile(dst *Conn, src *File, left int64) *sendingFile {
	s := &sendingFile{dst: dst, src: src, left: left}
	s.job.steady = true // it never takes long
	s.out.prepare(&dst.fd, driver.Writable, nil)
	return s
}

func (s *sendingFile) result() (int64, bool, error) { return s.moved, s.refused, s.err }

func (s *sendingFile) cancel() {
	s.given = true
	s.out.canceled = true
}

// poll carries the sending on.
func (s *sendingFile) poll(cx *Context) bool {
	if !s.begun {
		s.begun = true
		if s.at, s.err = s.src.Seek(0, io.SeekCurrent); s.err != nil {
			return true
		}
	}
	for cx.proceed() {
		switch s.send(cx) {
		case sendWaits:
			return false
		case sendEnded:
			if s.moved > 0 {
				s.src.Seek(s.at, io.SeekStart)
			}
			return true
		}
	}
	return false
}

// sendStep is what came of a step.
type sendStep uint8

const (
	sendWaits sendStep = iota
	sendGoesOn
	sendEnded
)

func (s *sendingFile) send(cx *Context) sendStep {
	d := &s.dst.fd
	if s.left == 0 {
		return sendEnded
	}
	for first := s.out.phase == phaseIdle; ; first = false {
		if s.inPool {
			ended, err := s.job.poll(cx)
			if !ended {
				return sendWaits
			}
			s.inPool = false
			if err != nil {
				s.out.finish(&d.wr)
				return s.fail(err)
			}
		} else {
			var ended bool
			var err error
			if first {
				ended, err = s.out.hold(cx, &d.wr)
			} else {
				ended, err = s.out.poll(cx, &d.wr)
			}
			if err != nil {
				return s.fail(err)
			}
			if !ended {
				return sendWaits
			}
			if size := min(s.left, sendNowSize); s.src.sys.fd.cached(s.at, size) {
				s.n, s.errno = s.sendfile(int(size))
			} else {
				s.inPool = true
				s.job.call(func() { s.n, s.errno = s.sendfile(int(min(s.left, sendLaterSize))) })
				continue
			}
		}
		if s.errno == unix.EAGAIN {
			continue
		}
		s.out.finish(&d.wr)
		s.out.prepare(d, driver.Writable, nil)
		s.out.canceled = s.given
		switch s.errno {
		case 0:
		case unix.EINVAL, unix.ENOSYS, unix.EOVERFLOW:
			s.refused = true // not a file that the kernel can send
			return sendEnded
		default:
			return s.fail(resultError("sendfile", -int32(s.errno)))
		}
		if s.n == 0 {
			return sendEnded
		}
		s.at += int64(s.n)
		s.left -= int64(s.n)
		s.moved += int64(s.n)
		return sendGoesOn
	}
}

func (s *sendingFile) fail(err error) sendStep {
	s.err = s.dst.fd.opError("write", err)
	return sendEnded
}

// sendfile sends at most n bytes from where the file is at.
func (s *sendingFile) sendfile(n int) (int, syscall.Errno) {
	if err := s.src.sys.fd.acquire(); err != nil {
		return 0, unix.EBADF
	}
	defer s.src.sys.drop()
	for {
		at := s.at
		m, err := unix.Sendfile(int(s.dst.fd.sys.Sysfd), int(s.src.sys.fd.sys.Sysfd), &at, n)
		switch err {
		case nil:
			return m, 0
		case unix.EINTR:
			continue
		}
		return 0, err.(syscall.Errno)
	}
}

// noCachestat is set when the kernel has no cachestat(2), which is there since Linux 6.5.
var noCachestat atomic.Bool

// cached reports whether size bytes of the file at offset off, or all that there are, are in
// memory. They may be gone in the next moment; then the worker waits for the disk, once.
func (d *netFD) cached(off, size int64) bool {
	if noCachestat.Load() || d.acquire() != nil {
		return false
	}
	defer d.drop()
	const page = 4096
	var have unix.Cachestat_t
	span := unix.CachestatRange{Off: uint64(off), Len: uint64(size)}
	err := unix.Cachestat(uint(d.sys.Sysfd), &span, &have, 0)
	if err == unix.ENOSYS || err == unix.EPERM {
		noCachestat.Store(true)
	}
	if err != nil {
		return false
	}
	var st unix.Stat_t
	if unix.Fstat(int(d.sys.Sysfd), &st) != nil {
		return false
	}
	size = min(size, st.Size-off)
	return size <= 0 || int64(have.Cache) >= (off+size-1)/page-off/page+1
}
