//go:build linux

package drivertest

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// rig holds a driver and watches over what it does. It keeps no reference to an
// operation in flight, so that an operation is reachable only through the
// driver unless the test itself holds it (rule 2).
type rig struct {
	*testing.T
	d        driver.Driver
	tid      int // the thread that owns d
	flight   int // operations submitted and not ended
	ended    int // calls of Complete
	inTurn   bool
	isClosed bool
	fds      *descriptors
	folder   string // see dir
}

// newRig opens a driver and locks the calling goroutine to its thread, for good.
func newRig(t *testing.T, open Open) *rig {
	t.Helper()
	runtime.LockOSThread()
	return &rig{T: t, d: open(t), tid: unix.Gettid(), fds: &descriptors{open: map[int32]bool{}}}
}

// sibling opens another driver on the same thread, for the same descriptors.
func (r *rig) sibling(open Open) *rig {
	r.Helper()
	return &rig{T: r.T, d: open(r.T), tid: r.tid, fds: r.fds}
}

// op is an operation with a check that it ends exactly once.
type op struct {
	driver.Op
	r        *rig
	inFlight bool
	ends     int
	// then, if set, is called when the operation has ended by Complete.
	then func(*op)
	// brought, if set, is called for a result before the end (rule 6).
	brought func(*op)
}

// Complete implements driver.Owner.
func (o *op) Complete(p *driver.Op) {
	r := o.r
	switch {
	case p != &o.Op:
		r.Errorf("Complete was called with another operation than the owner's")
	case !o.inFlight:
		r.Errorf("rule 3: Complete was called for an operation that is not in flight, %s", o)
	case !r.inTurn:
		r.Errorf("rule 3: Complete was called outside Poll, Wait and Close, %s", o)
	case unix.Gettid() != r.tid:
		r.Errorf("rule 1: Complete was called on another thread, %s", o)
	}
	r.ended++
	if o.More {
		if o.brought == nil || o.Res < 0 {
			r.Errorf("rule 6: a result before the end, %s", o)
		} else {
			o.brought(o)
		}
		return
	}
	o.end()
	if o.then != nil {
		o.then(o)
	}
}

func (o *op) end() {
	if o.State != 0 {
		o.r.Errorf("State is %d after the end, want 0, %s", o.State, o)
	}
	if lends := o.Code == driver.RecvLent || o.Code == driver.RecvMany; (lends && o.Res > 0) != (o.Lent != nil) {
		o.r.Errorf("rule 7: comes with a buffer: %t, %s", o.Lent != nil, o)
	}
	o.inFlight = false
	o.ends++
	o.r.flight--
	if o.Code == driver.Close && o.Res == 0 {
		delete(o.r.fds.open, o.FD.Sysfd)
	}
}

func (o *op) String() string {
	names := []string{"nop", "recv", "send", "accept", "connect", "close", "lent recv", "repeated recv",
		"repeated accept", "recvmsg", "sendmsg", "wait to read", "wait to write", driver.Read: "read", driver.Write: "write",
		driver.Open: "open", driver.Stat: "stat", driver.Sync: "sync", driver.Truncate: "truncate",
		driver.Allocate: "allocate", driver.Rename: "rename", driver.Unlink: "unlink", driver.Mkdir: "mkdir",
		driver.Call: "call"}
	name := "operation"
	if int(o.Code) < len(names) && names[o.Code] != "" {
		name = names[o.Code]
	}
	if o.inFlight {
		return name + " in flight"
	}
	return name + ": " + result(o.Res)
}

// result names the error in a result.
func result(res int32) string {
	if res < 0 {
		return unix.ErrnoName(unix.Errno(-res))
	}
	return "ended well"
}

// errno returns the result that stands for e.
func errno(e unix.Errno) int32 { return -int32(e) }

func (r *rig) op(code driver.Code, fd driver.FD, buf []byte) *op {
	o := &op{r: r}
	o.Code, o.FD, o.Buf, o.Owner = code, fd, buf, o
	return o
}

func (r *rig) recv(fd driver.FD, size int) *op { return r.op(driver.Recv, fd, make([]byte, size)) }

func (r *rig) send(fd driver.FD, data string) *op { return r.op(driver.Send, fd, []byte(data)) }

// submit submits o and reports whether it has ended at once.
func (r *rig) submit(o *op) bool {
	r.Helper()
	o.inFlight = true
	r.flight++
	was, turn := o.ends, r.inTurn
	r.inTurn = false // Submit delivers nothing, not even from within Complete
	now := r.d.Submit(&o.Op)
	r.inTurn = turn
	if o.ends != was {
		r.Fatalf("rule 3: Submit called Complete, %s", o)
	}
	if now {
		o.end()
	}
	r.count()
	return now
}

func (r *rig) cancel(o *op) {
	r.Helper()
	was, turn := o.ends, r.inTurn
	r.inTurn = false
	r.d.Cancel(&o.Op)
	r.inTurn = turn
	if o.ends != was {
		r.Fatalf("rule 3: Cancel called Complete, %s", o)
	}
	r.count()
}

// count compares the number of operations in flight. Within a turn the driver may
// count before or after it calls.
func (r *rig) count() {
	r.Helper()
	if got := r.d.InFlight(); got != r.flight && !r.inTurn {
		r.Fatalf("InFlight is %d, want %d", got, r.flight)
	}
}

// turn runs f, which is a Poll or a Wait, and checks the number it returns.
func (r *rig) turn(f func() int) int {
	r.Helper()
	was := r.ended
	r.inTurn = true
	n := f()
	r.inTurn = false
	if got := r.ended - was; n != got {
		r.Fatalf("%d operations were delivered, but %d returned", got, n)
	}
	r.count()
	return n
}

func (r *rig) poll() int {
	r.Helper()
	return r.turn(r.d.Poll)
}

func (r *rig) wait(timeout time.Duration) int {
	r.Helper()
	return r.turn(func() int { return r.d.Wait(timeout) })
}

// settle lets the driver start what is queued, and lets work in the kernel happen.
func (r *rig) settle() {
	r.Helper()
	for range 3 {
		r.poll()
		runtime.Gosched()
	}
}

// until waits for a condition that operations bring about.
func (r *rig) until(what string, cond func() bool) {
	r.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if !time.Now().Before(deadline) {
			r.Fatalf("%s has not come to pass", what)
		}
		r.wait(max(0, time.Until(deadline)))
	}
}

// end waits until o has ended and returns its result.
func (r *rig) end(o *op) int32 {
	r.Helper()
	r.until("the end of an operation", func() bool { return !o.inFlight })
	return o.Res
}

// want waits until o has ended and checks its result.
func (r *rig) want(o *op, res int32) {
	r.Helper()
	if got := r.end(o); got != res {
		r.Fatalf("result is %d (%s), want %d; %s", got, result(got), res, o)
	}
}

// wantBytes waits until the Recv o has ended and checks what it read.
func (r *rig) wantBytes(o *op, data string) {
	r.Helper()
	if n := r.end(o); n < 0 {
		r.Fatalf("%s, want %q", o, data)
	} else if got := string(o.Buf[:n]); got != data {
		r.Fatalf("received %q, want %q", got, data)
	}
}

// pending submits o, which must not end by itself.
func (r *rig) pending(o *op) *op {
	r.Helper()
	r.submit(o)
	r.settle()
	if !o.inFlight {
		r.Fatalf("ended with nothing to end it, %s", o)
	}
	return o
}

// drive is until for a condition that the test itself works towards, as by
// reading what is sent: it is asked again and again.
func (r *rig) drive(what string, cond func() bool) {
	r.Helper()
	for end := time.Now().Add(patience); !cond(); r.wait(time.Millisecond) {
		if !time.Now().Before(end) {
			r.Fatalf("%s has not come to pass", what)
		}
	}
}

// close ends the test: it closes the driver and the descriptors that are left.
func (r *rig) close() {
	r.Helper()
	r.closeDriver()
	r.fds.closeAll()
}

// closeDriver closes the driver, if the test has not done so, and checks that
// everything has ended.
func (r *rig) closeDriver() {
	r.Helper()
	if r.isClosed {
		return
	}
	r.isClosed = true
	r.inTurn = true
	err := r.d.Close()
	r.inTurn = false
	if err != nil {
		r.Errorf("Close: %v", err)
	}
	if r.flight != 0 {
		r.Errorf("%d operations in flight after Close", r.flight)
	}
	if c := r.d.Counters(); c.Submitted != c.Completed {
		r.Errorf("after Close %d operations have been submitted and %d have ended", c.Submitted, c.Completed)
	}
}
