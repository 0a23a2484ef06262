package rt

import (
	"context"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// fileOp is one operation on a file or a name, from being prepared to having its
// result. Futures of files embed it; it must not move while they are being
// polled.
//
// It is the owner of its driver operation, so that it hears of the end even if
// its task has been abandoned meanwhile: then it still gives up the file, and
// closes a descriptor that nobody will take.
type fileOp struct {
	op   driver.Op
	code driver.Code // what op is to do
	args driver.FileArgs
	// file is held open while the operation is in flight; nil for operations on names.
	file    *File
	task    *task
	gen     uint64 // of task
	started bool
	// canceled is set to have the operation given up, and gaveUp when it was. One that
	// is steady goes on even in code that is cancelled.
	canceled, gaveUp, steady bool

	refusal error // why the operation must not start
	sys     fileOpSystem
}

// prepare sets o up. What the code needs in args is set afterwards.
func (o *fileOp) prepare(f *File, code driver.Code, buf []byte) {
	o.file, o.started, o.refusal = f, false, nil
	o.canceled, o.gaveUp = false, false
	o.args = driver.FileArgs{}
	o.code, o.op.Buf, o.op.File, o.op.Res = code, buf, &o.args, 0
	o.op.FD = driver.FD{}
}

// setPath makes name the path to operate on.
func (o *fileOp) setPath(name string) { o.args.Path = o.terminated(name) }

func (o *fileOp) terminated(name string) string {
	for i := range len(name) {
		if name[i] == 0 {
			o.refusal = syscall.EINVAL
		}
	}
	return name + "\x00"
}

// begin reports whether o may start, and takes a reference to its file.
func (o *fileOp) begin() error {
	if o.refusal != nil {
		return o.refusal
	}
	if o.file != nil {
		if err := o.file.sys.hold(&o.op); err != nil {
			return err
		}
	}
	o.launch()
	return nil
}

// poll carries o on. It returns false if it waits, and its task will be woken.
// Once it has returned true o is not prepared any more, with an error if it could
// not be started; otherwise op.Res counts.
func (o *fileOp) poll(cx *Context) (ended bool, err error) {
	if !o.started {
		if err := o.reason(cx); err != nil {
			o.gaveUp, o.op.Buf = true, nil
			return true, err
		}
		if err := o.begin(); err != nil {
			o.op.Buf = nil
			return true, err
		}
		o.started = true
		o.task, o.gen = cx.task, cx.task.generation()
		o.op.Owner = o
		was := cx.enter()
		cx.worker.touch()
		ended := cx.worker.drv.Submit(&o.op)
		cx.exit(was)
		if !ended {
			return false, nil
		}
		o.end()
		if !cx.proceed() {
			return false, nil
		}
	}
	was := cx.enter()
	waits := o.op.State != 0
	if waits && o.reason(cx) != nil {
		cx.worker.touch()
		cx.worker.drv.Cancel(&o.op)
	}
	cx.exit(was)
	if waits {
		return false, nil
	}
	err = o.result()
	if err == syscall.ECANCELED {
		if reason := o.reason(cx); reason != nil {
			o.gaveUp, err = true, reason
		}
	}
	return true, err
}

// reason says why o must not go on, or nil. What has been begun is cancelled in the driver and
// waited for, so that its buffer is free when the future has finished.
func (o *fileOp) reason(cx *Context) error {
	if o.steady {
		return nil
	}
	if err := cx.canceled(); err != nil || !o.canceled {
		return err
	}
	return context.Canceled
}

// result returns the error of the operation that has ended.
func (o *fileOp) result() error {
	o.started = false
	o.op.Buf = nil // the caller's memory is the caller's again
	err := o.landed()
	if o.op.Res < 0 {
		err = syscall.Errno(-o.op.Res)
	}
	return err
}

// end gives up the file.
func (o *fileOp) end() {
	if o.file != nil {
		o.file.sys.drop()
	}
}

// Complete implements [driver.Owner].
func (o *fileOp) Complete(op *driver.Op) {
	o.end()
	if o.task.generation() != o.gen {
		o.abandoned()
		return
	}
	o.arrived()
	o.task.Complete(op)
}

// here carries o out on the calling goroutine, which may block. The result is as
// that of poll.
func (o *fileOp) here() error {
	if err := o.begin(); err != nil {
		o.op.Buf = nil
		return err
	}
	o.op.Res = blocking.Perform(&o.op)
	o.end()
	return o.result()
}

// A fileFuture is a future made of operations on files.
type fileFuture interface {
	Future
	// now does all of it on the calling goroutine.
	now()
}

// carryOut is the plain form of f.
func carryOut(f fileFuture) {
	if contextHere() == nil {
		f.now()
		return
	}
	block(f)
}

// What differs between systems:
//
//	launch     sets op up for the code, before it is submitted
//	landed     returns an error that is not in op.Res, when o has ended
//	arrived    is called when op has ended and o's task is going to be told
//	abandoned  is called when op has ended and the task has gone
//	fileInfo   returns the result of a Stat

// call is prepare for a function that may block.
func (o *fileOp) call(f func()) {
	o.prepare(nil, driver.Call, nil)
	o.args.Func = f
}
