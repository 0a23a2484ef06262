// Package driver is the contract between the workers of package rt and what
// they wait on: a ring (package uring) or an epoll set (package epoll).
//
// The contract is completion based. A worker fills an [Op], submits it, and is
// told once when it has ended, with its result. How a driver gets there is its
// own affair: the ring hands the operation to the kernel, the epoll set waits
// for readiness and then makes the system call.
//
// Rules that every driver keeps, cited by number elsewhere:
//
//  1. A driver belongs to one thread at a time. Every method except Wake is
//     called by that thread only.
//  2. A submitted Op, and the memory it names, belong to the driver until the
//     operation ends. The driver keeps both reachable until then, whatever
//     happens to the task that submitted it.
//  3. An operation ends exactly once: Submit returns true, or later
//     Owner.Complete is called from Poll or Wait with More false. Never both,
//     never neither.
//  4. Cancel is a request. The operation still ends by rule 3, with
//     -ECANCELED, or with its ordinary result if it was faster. Bytes that
//     were moved are always reported.
//  5. After an operation has ended, nothing writes to its memory any more.
//  6. An operation that repeats (RecvMany, AcceptMany) may bring results before
//     it ends: for each, Complete is called with More true, in the order of the
//     stream, also after Cancel. The result that it ends with counts too, unless
//     it is an error. A driver may end it at any time for reasons of its own,
//     with -ECANCELED. A driver that has no such operations ends them in Submit
//     with -EOPNOTSUPP.
//  7. A result of RecvLent or RecvMany that is positive comes with a Buffer of
//     the driver's, in Lent, and with no other result does one. The buffer is the
//     submitter's until Buffer.Return, which any thread may call, also after the driver
//     has been closed. An operation holds no buffer while it waits. If too many are
//     out RecvMany ends with -ENOBUFS; RecvLent never fails for that.
package driver

import "time"

// Code says what an operation does.
type Code uint8

const (
	// Nop does nothing and ends with 0.
	Nop Code = iota
	// Recv reads at most len(Buf) bytes from the socket FD into Buf.
	// The result is the number of bytes, 0 at the end of the stream.
	Recv
	// Send writes Buf to the socket FD, never raising SIGPIPE. The result is
	// the number of bytes written, which may be short.
	Send
	// Accept takes one connection from the listening socket FD. The result
	// is the new descriptor, close-on-exec and non-blocking. An accept that
	// is cancelled and ends with a descriptor all the same hands it over.
	Accept
	// Connect connects the socket FD to the raw socket address in Buf.
	Connect
	// Close closes the descriptor FD. It cannot be cancelled.
	Close
	// RecvLent reads what there is now from the socket FD into a buffer of the
	// driver's (rule 7). Submit ends it, with -EAGAIN if there is nothing.
	RecvLent
	// RecvMany reads from the socket FD again and again (rule 6), whenever there
	// is something, into buffers of the driver's. It ends at the end of the stream,
	// with 0, and on errors.
	RecvMany
	// AcceptMany is Accept again and again (rule 6). It ends on errors.
	AcceptMany
	// RecvMsg receives a message into Buf, with what Msg asks for. The result
	// is the number of bytes in Buf; what does not fit is lost for datagrams.
	RecvMsg
	// SendMsg sends Buf, or if that is nil the buffers of Msg, with what
	// Msg has. The result is the number of bytes taken.
	SendMsg
	// Readable and Writable wait until a read from, or a write to, the
	// descriptor FD need not wait, or fails. They move nothing and end with 0. As
	// somebody else may have been faster, that is no promise.
	Readable
	Writable
)

// FD names a descriptor. Sysfd alone does not: the kernel reuses numbers. ID is
// unique in the process for each opening of a descriptor, and lets a driver
// that keeps state for descriptors (an epoll set) tell a reused number from the
// one it knew.
type FD struct {
	ID    uint64
	Sysfd int32
}

// Owner is told that an operation has ended.
type Owner interface {
	// Complete is called on the driver's thread, from Poll or Wait, when op
	// has ended with op.Res, or has brought a result (rule 6). It must not block;
	// it may submit and cancel operations.
	Complete(op *Op)
}

// Op is one operation. It lives inside the future that waits for it, in memory
// that does not move. The submitter sets the exported fields before Submit and
// leaves them alone until the operation has ended.
type Op struct {
	FD    FD
	Buf   []byte
	Owner Owner
	// File has what else an operation on a file needs; nil for others.
	File *FileArgs
	// Msg has what else RecvMsg and SendMsg need; nil for others.
	Msg *Msg
	// Lent has the bytes received (rule 7). It is set by the driver; the submitter
	// clears it when it takes the buffer over.
	Lent *Buffer
	// Res is the result: a count or a descriptor, or a negated errno.
	Res  int32
	Code Code
	// More says in Complete that the operation has not ended (rule 6).
	More bool
	// State and Slot are the driver's. A driver sets State to 0 when the
	// operation has ended, so an Op can be submitted again.
	State uint8
	Slot  uint32
	// Next is the driver's, for its queues.
	Next *Op
}

// Counters are a driver's running totals since it was made.
type Counters struct {
	Submitted uint64 // operations submitted
	Completed uint64 // operations ended
	Cancelled uint64 // cancellations asked for
	Syscalls  uint64 // system calls made by the driver, of any kind
	Waits     uint64 // of these, the ones that were allowed to block
	Wakes     uint64 // wake-ups sent by other threads through the driver
}

// Driver is what a worker waits on. See the rules at the top of the package.
type Driver interface {
	// Name is "uring" or "epoll".
	Name() string
	// Submit starts op, or queues it to be started by the next Poll or Wait.
	// It returns true if the operation has ended at once; op.Res is then set
	// and Owner.Complete is not called. It never blocks.
	Submit(op *Op) bool
	// Cancel asks that op end early. It does nothing if op is not in flight.
	Cancel(op *Op)
	// Poll starts what is queued and delivers what has ended, without
	// blocking. It returns the number of operations delivered.
	Poll() int
	// Wait is Poll, and blocks while nothing has ended until an operation
	// ends, Wake is called, or timeout has passed; a negative timeout never
	// passes. It may return early with nothing delivered.
	Wait(timeout time.Duration) int
	// Wake makes the Wait that blocks now, or else the next one, return. Any
	// thread may call it at any time before Close has returned.
	Wake()
	// InFlight is the number of operations submitted and not yet ended.
	InFlight() int
	// Counters returns the totals. It may be called from any thread and may
	// lag behind by one turn of the worker's loop.
	Counters() Counters
	// Close cancels what is in flight, waits until the kernel has let go of
	// every buffer, delivers it all, and releases the driver's resources.
	Close() error
}
