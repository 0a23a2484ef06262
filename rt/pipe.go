//go:build linux && !cogen_portable

package rt

import "golang.org/x/sys/unix"

// splicePipe is a pipe that bytes go through from one connection to another. It is empty
// between copies, so any may use it.
type splicePipe struct {
	r, w int32
	next *splicePipe // in a worker's list
}

const (
	// spliceSize is how much a pipe is to hold, and how much is moved at once.
	spliceSize = 256 << 10
	// freePipes is how many a worker keeps.
	freePipes = 8
)

func newSplicePipe() (*splicePipe, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	// A user who has many pipes may not make them larger; then they move less at once.
	_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETPIPE_SZ, spliceSize)
	return &splicePipe{r: int32(fds[0]), w: int32(fds[1])}, nil
}

func (p *splicePipe) close() {
	closeSocket(p.r)
	closeSocket(p.w)
}

// takePipe returns a pipe that was given back, or a new one. The caller has it in custody.
func (cx *Context) takePipe() (*splicePipe, error) {
	was := cx.enter()
	w := cx.worker
	p := w.pipes.free
	if p != nil {
		w.pipes.free, p.next = p.next, nil
		w.pipes.n--
	}
	cx.exit(was)
	if p != nil {
		return p, nil
	}
	return newSplicePipe()
}

// putPipe takes back an empty pipe.
func (cx *Context) putPipe(p *splicePipe) {
	was := cx.enter()
	w := cx.worker
	keep := w.pipes.n < freePipes
	if keep {
		p.next, w.pipes.free = w.pipes.free, p
		w.pipes.n++
	}
	cx.exit(was)
	if !keep {
		p.close()
	}
}

// beginCopy and endCopy are called around each copy. When there are none the free pipes are
// closed.
func (cx *Context) beginCopy() {
	was := cx.enter()
	cx.worker.pipes.copies++
	cx.exit(was)
}

func (cx *Context) endCopy() {
	was := cx.enter()
	s := &cx.worker.pipes
	if s.copies--; s.copies == 0 {
		s.closeAll()
	}
	cx.exit(was)
}

// pipeStock is a worker's free pipes.
type pipeStock struct {
	free   *splicePipe
	n      int
	copies int // under way
}

// closeAll is also called when the worker ends.
func (s *pipeStock) closeAll() {
	for p := s.free; p != nil; p = p.next {
		p.close()
	}
	s.free, s.n = nil, 0
}
