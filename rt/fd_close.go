//go:build linux && !cogen_portable

package rt

import (
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// shut marks the descriptor closed and ends everything that waits on it. It
// fails with net.ErrClosed if that has been done before.
func (d *netFD) shut() error {
	if !d.closed.CompareAndSwap(false, true) {
		return net.ErrClosed
	}
	for _, s := range [...]*side{&d.rd, &d.wr} {
		if s.queued.Load() != 0 {
			d.dismiss(s)
		}
		if w := d.interrupt(s); w != nil {
			s.inherit(w)
		}
	}
	if w := d.stopInflow(); w != nil {
		d.in.Load().inherit(w)
	}
	return nil
}

// ended reports whether w has stopped, and its driver has let go of everything.
func (w *worker) ended() bool {
	select {
	case <-w.stopped:
		return true
	default:
		return false
	}
}

// inherit takes the side from a worker that has ended, with its operation still
// on it.
func (s *side) inherit(w *worker) {
	w.letGo()
	s.holder.CompareAndSwap(w, nil)
}

// inherit takes the inflow from a worker that has ended.
func (in *inflow) inherit(w *worker) {
	w.letGo()
	in.worker.CompareAndSwap(w, nil)
}

// letGo waits until the driver of w, which ends, has let go of everything.
func (w *worker) letGo() {
	if cx := currentContext(); cx == nil || cx.worker != w {
		<-w.stopped
	}
	// Otherwise this is a deferred call of a task that is being unwound because
	// its worker ends. It cannot wait. The driver does so before it is closed: the
	// operation keeps the open file, if not the descriptor, and its memory.
}

// closing is the future that closes a descriptor: it shuts it, waits until
// nobody uses it, and closes it (F4).
type closing struct {
	fd    *netFD
	op    *driver.Op // in flight
	err   error
	look  *draining
	phase closingPhase
}

// draining is what a closing needs that has to wait.
type draining struct {
	timer // see drain
	held  custody
}

type closingPhase uint8

const (
	closingOpen     closingPhase = iota
	closingDraining              // shut, in use
	closingInFlight              // op is the driver's
)

func (f *closing) prepare(d *netFD) {
	f.fd, f.err, f.phase = d, nil, closingOpen
}

// shut does the first step if it has not been done, and reports whether f is
// to go on.
func (f *closing) shut() bool {
	if f.fd == nil {
		f.err = syscall.EINVAL
		return false
	}
	if err := f.fd.shut(); err != nil {
		f.err = f.fd.opError("close", err)
		return false
	}
	f.phase = closingDraining
	return true
}

// now closes if that needs no waiting. It returns false if f must be polled for
// the rest.
func (f *closing) now() (done bool) {
	if !f.shut() {
		return true
	}
	if !f.fd.idle() {
		return false
	}
	f.closed(closeSocket(f.fd.sys.Sysfd))
	return true
}

// Poll carries the closing on.
func (f *closing) Poll(cx *Context) bool {
	d := f.fd
	switch f.phase {
	case closingOpen:
		if !f.shut() {
			return true
		}
		fallthrough
	case closingDraining:
		if !f.drain(cx) {
			return false
		}
		was := cx.enter()
		f.op = cx.worker.ops.take()
		f.op.Code, f.op.FD = driver.Close, d.sys
		f.phase = closingInFlight
		ended := cx.submit(f.op)
		cx.exit(was)
		if !ended {
			return false
		}
	case closingInFlight:
		was := cx.enter()
		waits := f.op.State != 0
		cx.exit(was)
		if waits {
			return false
		}
	}
	var err error
	if f.op.Res < 0 {
		err = syscall.Errno(-f.op.Res)
	}
	was := cx.enter()
	cx.worker.ops.put(f.op)
	cx.exit(was)
	f.op = nil
	f.closed(err)
	return true
}

// lookAgain is the time between looks for workers that have ended.
const lookAgain = 50 * time.Millisecond

// drain reports whether the descriptor is idle. If not, the task will be woken.
func (f *closing) drain(cx *Context) bool {
	d := f.fd
	if !d.idle() {
		d.mu.Lock()
		d.closer = cx.task
		d.mu.Unlock()
		d.inherit()
		// Whoever let go before the closer was known has not told it.
		if !d.idle() {
			if f.look == nil {
				f.look = &draining{timer: timer{arg: cx.task}}
				cx.keep(&f.look.held, f)
			}
			was := cx.enter()
			if !f.look.active() {
				cx.worker.startTimer(&f.look.timer, nanotime()+int64(lookAgain), wakeOnFire)
			}
			cx.exit(was)
			return false
		}
	}
	if f.look != nil {
		was := cx.enter()
		cx.worker.stopTimer(&f.look.timer)
		cx.exit(was)
		cx.release(&f.look.held)
		f.look = nil
	}
	if d.closer != nil { // only the closer, this one, changes it
		d.mu.Lock()
		d.closer = nil
		d.mu.Unlock()
	}
	return true
}

// inherit takes what is held by workers that have ended: they do not let go of what their
// tasks hold, nor tell.
func (d *netFD) inherit() {
	for _, s := range [...]*side{&d.rd, &d.wr} {
		if w := s.holder.Load(); w != nil && w != offWorker && w.ended() {
			s.inherit(w)
		}
	}
	if w := d.running(); w != nil && w.ended() {
		d.in.Load().inherit(w)
	}
}

// abandon finishes what f, whose task has gone, has begun: it closes the descriptor when the
// last to use it has let go. That may be a task of the same worker, which is ending.
func (f *closing) abandon() {
	d := f.fd
	go func() {
		for d.inherit(); !d.idle(); d.inherit() {
			time.Sleep(time.Millisecond)
		}
		closeSocket(d.sys.Sysfd)
	}()
}

// closed notes the result of the system call.
func (f *closing) closed(err error) {
	if in := f.fd.in.Load(); in != nil {
		in.discard()
	}
	if err != nil {
		f.err = f.fd.opError("close", os.NewSyscallError("close", err))
	}
}

// Result returns what the plain form returns.
func (f *closing) Result() error { return f.err }

// Close closes the connection. Reads and writes that are waiting fail with
// [net.ErrClosed]; Close returns when they have, and the descriptor is closed.
func (c *Conn) Close() error {
	f := c.CloseAsync()
	return f.wait()
}

// wait is the plain form of f. In a task, too, it closes at once what is idle: that
// is the same work for the kernel, and spares suspending a stack.
func (f *closing) wait() error {
	if f.now() {
		return f.err
	}
	p := new(closing)
	*p = *f
	block(p)
	return p.err
}

// CloseAsync is the async form of Close.
func (c *Conn) CloseAsync() *CloseFuture {
	f := new(CloseFuture)
	f.Init(c)
	return f
}

// CloseFuture is a [Conn.Close] in progress.
type CloseFuture struct{ closing }

// Init makes f the closing of c.
func (f *CloseFuture) Init(c *Conn) { f.prepare(c.netFD()) }

// Close stops listening. Accepts that are waiting fail with [net.ErrClosed];
// Close returns when they have, and the descriptor is closed. The file that a UNIX
// socket's name stands for is removed.
func (l *Listener) Close() error {
	f := l.CloseAsync()
	return f.wait()
}

// CloseAsync is the async form of Close.
func (l *Listener) CloseAsync() *CloseListenerFuture {
	f := new(CloseListenerFuture)
	f.Init(l)
	return f
}

// CloseListenerFuture is a [Listener.Close] in progress.
type CloseListenerFuture struct{ closing }

// Init makes f the closing of l.
func (f *CloseListenerFuture) Init(l *Listener) {
	f.prepare(l.netFD())
	if l.ok() {
		l.removeFile()
	}
}

// removeFile removes the file of a UNIX socket, once. As in package net that comes
// first, so that what listens at the name next is not hit, and its failure is nobody's
// concern.
func (l *Listener) removeFile() {
	if name := l.file.Swap(nil); name != nil {
		_ = unix.Unlink(*name)
	}
}
