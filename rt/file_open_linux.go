//go:build !cogen_portable

package rt

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// OpenFuture is an [OpenFile] in progress. If it is given up, a descriptor that it
// has got all the same is closed.
//
// Opening a named pipe waits for the other end, perhaps for ever, which must happen
// neither in the pool of a driver nor on the few threads of a ring. So a task
// opens without blocking first, and if it has met a pipe, or somebody's lease,
// opens again on a goroutine of its own. Until that has succeeded the first
// descriptor is kept, lest the other end see this one come and go.
type OpenFuture struct {
	io   fileOp
	name string
	flag int
	mode uint32

	patient *BlockingFuture // opens again
	first   *File

	file *File
	err  error
}

// Init makes f an opening. It may be used again after it has finished.
func (f *OpenFuture) Init(name string, flag int, perm fs.FileMode) {
	*f = OpenFuture{name: name, flag: flag, mode: modeBits(perm)}
	f.io.prepare(nil, driver.Open, nil)
	f.io.setPath(name)
	f.io.args.Mode = f.mode
}

// Poll carries the opening on.
func (f *OpenFuture) Poll(cx *Context) bool {
	if f.patient == nil {
		if !f.io.started { // afterwards the arguments are the driver's
			f.io.args.Flags = uint32(f.flag | unix.O_NONBLOCK)
		}
		ended, err := f.io.poll(cx)
		if !ended {
			return false
		}
		if f.opened(err, true) {
			return true
		}
		f.patient = new(BlockingFuture)
		f.patient.Init(f.openAgain)
	}
	if !f.patient.Poll(cx) {
		return false
	}
	f.patient = nil
	if f.first != nil {
		closeNow(f.first)
		f.first = nil
	}
	return true
}

// opened looks at the result of the first attempt. It returns false if there
// must be another.
func (f *OpenFuture) opened(err error, nonblocking bool) bool {
	blocks := nonblocking && f.flag&unix.O_NONBLOCK == 0
	if err != nil {
		if blocks && (err == syscall.ENXIO || err == syscall.EAGAIN) {
			return false
		}
		f.err = pathError("open", f.name, err)
		return true
	}
	f.file = newFile(f.io.op.Res, f.name, f.flag, nonblocking)
	if blocks && f.file.sys.pipe && f.flag&(os.O_WRONLY|os.O_RDWR) != os.O_RDWR {
		f.first, f.file = f.file, nil
		return false
	}
	return true
}

func (f *OpenFuture) openAgain() {
	fd, err := unix.Open(f.name, f.flag|unix.O_CLOEXEC, f.mode)
	for err == unix.EINTR {
		fd, err = unix.Open(f.name, f.flag|unix.O_CLOEXEC, f.mode)
	}
	if err != nil {
		f.err = pathError("open", f.name, err)
		return
	}
	f.file = newFile(int32(fd), f.name, f.flag, false)
}

func (f *OpenFuture) now() {
	f.io.args.Flags = uint32(f.flag)
	f.opened(f.io.here(), false)
}

// closeNow closes a file that nobody else knows.
func closeNow(f *File) {
	c := FileCloseFuture{}
	c.Init(f)
	c.claim()
	c.closing.now()
}
