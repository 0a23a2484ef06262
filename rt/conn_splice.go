//go:build linux && !cogen_portable

package rt

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// inKernel returns a copy from r to dst that the kernel can try, nil if there is none.
func inKernel(dst *Conn, r io.Reader, left int64) kernelCopy {
	if dst.fd.net.keepsMessages() {
		return nil
	}
	switch src := r.(type) {
	case *Conn:
		if src.ok() && !src.fd.net.keepsMessages() {
			return newSplicing(dst, src, left)
		}
	case *File:
		if src.ok() && !src.sys.stream {
			return newSendingFile(dst, src, left)
		}
	}
	return nil
}

// splicing moves bytes from one connection to another by way of a pipe: into the pipe what has
// arrived, out of it what the other takes, in turns. Neither call waits; the driver says
// when they are worth making. (A ring has splice too, but hands each to a kernel thread, which
// costs many times the call.)
//
// Each step takes its side anew, so that closing either connection ends the copy whatever that
// waits for.
type splicing struct {
	dst, src *Conn
	left     int64 // bytes to be read yet
	moved    int64
	in, out  operation // on the receiving side of src and the sending side of dst
	// What has been read and not been written: held bytes in pipe, or a loan, which had been
	// received ahead.
	pipe    *splicePipe
	held    int
	write   WriteFuture
	loan    Loan
	writing bool // write is under way
	kept    custody
	refused bool
	given   bool // up
	begun   bool
	err     error
}

func newSplicing(dst, src *Conn, left int64) *splicing {
	s := &splicing{dst: dst, src: src, left: left}
	s.in.prepare(&src.fd, driver.Readable, nil)
	return s
}

func (s *splicing) result() (int64, bool, error) { return s.moved, s.refused, s.err }

func (s *splicing) cancel() {
	s.given = true
	s.in.canceled, s.out.canceled = true, true
	s.write.io.canceled = true
}

// poll carries the copy on.
func (s *splicing) poll(cx *Context) bool {
	if !s.begun {
		s.begun = true
		cx.beginCopy()
	}
	if !s.step(cx) {
		return false
	}
	s.putPipe(cx)
	cx.endCopy()
	return true
}

// step reports whether the copy has ended.
func (s *splicing) step(cx *Context) bool {
	for cx.proceed() {
		var ended, end bool
		switch {
		case s.writing:
			ended, end = s.pollWrite(cx)
		case s.held > 0:
			ended, end = s.pump(cx)
		case s.left == 0:
			return true
		default:
			ended, end = s.fill(cx)
		}
		if !ended {
			return false
		}
		if end {
			return true
		}
	}
	return false
}

// fill reads what has arrived. It reports end if there is nothing more to do.
func (s *splicing) fill(cx *Context) (ended, end bool) {
	d := &s.src.fd
	for first := s.in.phase == phaseIdle; ; first = false {
		if !first {
			ended, err := s.in.poll(cx, &d.rd)
			if !ended {
				s.putPipe(cx) // while it waits others can use it
				return false, false
			}
			if err != nil {
				s.err = d.opError("read", err)
				return true, true
			}
			if s.in.phase == phaseFlowing {
				return true, s.borrow(cx)
			}
		} else if held, err := s.in.hold(cx, &d.rd); err != nil {
			s.err = d.opError("read", err)
			return true, true
		} else if !held {
			return false, false
		} else if in := d.in.Load(); in != nil && (in.worker.Load() != nil || in.pending()) {
			continue // what was received ahead comes first
		}
		if err := s.takePipe(cx); err != nil {
			s.in.finish(&d.rd)
			s.refused = true
			return true, true
		}
		n, errno := splice(d.sys.Sysfd, s.pipe.w, int(min(s.left, spliceSize)))
		switch {
		case errno == unix.EAGAIN:
			continue
		case errno != 0:
			s.in.finish(&d.rd)
			if errno == unix.EINVAL {
				s.refused = true
			} else {
				s.err = d.opError("splice", resultError("splice", -int32(errno)))
			}
			return true, true
		}
		s.in.finish(&d.rd)
		s.held = n
		s.left -= int64(n)
		return true, n == 0
	}
}

// borrow has what was received ahead be written. It reports whether that was the end.
func (s *splicing) borrow(cx *Context) (end bool) {
	d := &s.src.fd
	b, res := s.in.lent(cx.worker)
	s.in.finish(&d.rd)
	switch {
	case res < 0:
		s.err = d.opError("read", resultError("read", res))
		return true
	case b == nil:
		return true
	}
	s.loan = lend(b)
	data := b.Data
	if int64(len(data)) > s.left {
		// The rest is for whoever reads next.
		d.in.Load().putBack(b.Data[s.left:])
		data = data[:s.left]
	}
	s.left -= int64(len(data))
	s.write.Init(s.dst, data)
	s.write.io.canceled = s.given
	s.writing = true
	return false
}

// pollWrite writes the loan.
func (s *splicing) pollWrite(cx *Context) (ended, end bool) {
	if !s.write.Poll(cx) {
		return false, false
	}
	n, err := s.write.Result()
	s.loan.Return()
	s.loan, s.writing = Loan{}, false
	s.moved += int64(n)
	s.err = err
	return true, err != nil
}

// pump writes what is in the pipe.
func (s *splicing) pump(cx *Context) (ended, end bool) {
	d := &s.dst.fd
	if s.out.phase == phaseIdle {
		s.out.prepare(d, driver.Writable, nil)
		s.out.canceled = s.given
	}
	for first := s.out.phase == phaseIdle; ; first = false {
		var ended bool
		var err error
		if first {
			ended, err = s.out.hold(cx, &d.wr)
		} else {
			ended, err = s.out.poll(cx, &d.wr)
		}
		if err != nil {
			s.err = d.opError("write", err)
			return true, true
		}
		if !ended {
			return false, false
		}
		n, errno := splice(s.pipe.r, d.sys.Sysfd, s.held)
		if errno == unix.EAGAIN {
			continue
		}
		s.out.finish(&d.wr)
		if errno != 0 {
			s.err = d.opError("splice", resultError("splice", -int32(errno)))
			return true, true
		}
		s.held -= n
		s.moved += int64(n)
		return true, false
	}
}

// takePipe gets s a pipe.
func (s *splicing) takePipe(cx *Context) (err error) {
	if s.pipe == nil {
		if s.pipe, err = cx.takePipe(); err == nil {
			cx.keep(&s.kept, s)
		}
	}
	return err
}

// putPipe gives the pipe back, or closes it if something is left in it.
func (s *splicing) putPipe(cx *Context) {
	p := s.pipe
	if p == nil {
		return
	}
	s.pipe = nil
	cx.release(&s.kept)
	if s.held > 0 {
		p.close()
		return
	}
	cx.putPipe(p)
}

// abandon closes the pipe of a copy whose task has gone.
func (s *splicing) abandon() { s.pipe.close() }

// splice moves at most n bytes from one descriptor to another, of which one is a pipe. It does
// not wait.
func splice(from, to int32, n int) (moved int, errno syscall.Errno) {
	for {
		m, err := unix.Splice(int(from), nil, int(to), nil, n, unix.SPLICE_F_MOVE|unix.SPLICE_F_NONBLOCK)
		switch err {
		case nil:
			return int(m), 0
		case unix.EINTR:
			continue
		}
		return 0, err.(syscall.Errno)
	}
}
