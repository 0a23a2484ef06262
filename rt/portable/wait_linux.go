package portable

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/epoll"
)

// waits are the operations that wait for a descriptor.
//
// Each has a goroutine that waits in the Go runtime's poller with a duplicate of the
// descriptor, since the poller closes what it is given, and hands the operation back
// when it is ready. The duplicate is closed before the operation ends, so whoever
// closes the descriptor afterwards closes the last one.
type waits struct {
	caller epoll.Caller
	rouse  func()
	n      int
	flight map[*driver.Op]*wait

	mu    sync.Mutex
	ready []*wait // those whose goroutines have ended
}

// wait is an operation that waits.
type wait struct {
	op        *driver.Op
	file      *os.File // the duplicate
	cancelled bool     // the driver's
}

func (w *waits) init(rouse func()) {
	w.rouse = rouse
	w.flight = map[*driver.Op]*wait{}
}

// start tries op, and has it waited for if it must. It reports whether op has
// ended.
func (w *waits) start(op *driver.Op) bool {
	if w.caller.Try(op) {
		return true
	}
	if err := w.watch(op); err != nil {
		op.State = idle
		op.Res = -int32(err.(unix.Errno))
		return true
	}
	w.n++
	return false
}

// watch starts a goroutine that waits for op's descriptor.
func (w *waits) watch(op *driver.Op) error {
	fd, err := unix.FcntlInt(uintptr(op.FD.Sysfd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	x := &wait{op: op, file: os.NewFile(uintptr(fd), "")}
	w.flight[op] = x
	events := int16(unix.POLLIN)
	switch op.Code {
	case driver.Send, driver.SendMsg, driver.Connect, driver.Writable, driver.Write:
		events = unix.POLLOUT
	}
	go func() {
		x.await(events)
		x.file.Close()
		w.mu.Lock()
		w.ready = append(w.ready, x)
		w.mu.Unlock()
		w.rouse()
	}()
	return nil
}

// await returns when the descriptor is ready for events, or its deadline has been
// set, or after a while if it cannot be waited for.
func (x *wait) await(events int16) {
	raw, err := x.file.SyscallConn()
	if err == nil {
		// The poller tells of changes only; so look each time.
		check := func(fd uintptr) bool {
			p := []unix.PollFd{{Fd: int32(fd), Events: events}}
			n, err := unix.Poll(p, 0)
			return n > 0 || err != nil && err != unix.EINTR
		}
		if events == unix.POLLOUT {
			err = raw.Write(check)
		} else {
			err = raw.Read(check)
		}
	}
	if err != nil && !os.IsTimeout(err) {
		time.Sleep(time.Millisecond)
	}
}

// cancel has op end soon.
func (w *waits) cancel(op *driver.Op) {
	if x := w.flight[op]; x != nil && !x.cancelled {
		x.cancelled = true
		x.file.SetDeadline(time.Unix(1, 0))
	}
}

// cancelAll cancels the operations on fd, or all for the zero FD.
func (w *waits) cancelAll(fd driver.FD) {
	for op := range w.flight {
		if fd.ID == 0 || op.FD.ID == fd.ID {
			w.cancel(op)
		}
	}
}

// collect tries the operations whose descriptors are ready, and calls end for those
// that have ended.
func (w *waits) collect(end func(*driver.Op, int32)) {
	if w.n == 0 {
		return
	}
	w.mu.Lock()
	ready := w.ready
	w.ready = nil
	w.mu.Unlock()
	for _, x := range ready {
		op := x.op
		delete(w.flight, op)
		if x.cancelled {
			w.n--
			end(op, -int32(unix.ECANCELED))
			continue
		}
		if !w.caller.Try(op) {
			if err := w.watch(op); err == nil {
				continue
			} else {
				op.Res = -int32(err.(unix.Errno))
			}
		}
		w.n--
		end(op, op.Res)
	}
}
