// Package uring is io_uring for Go without cgo: the raw ring, complete and usable on its
// own, and a driver for package rt built over it.
//
// # The ring
//
// [New] sets up a [Ring]. A caller takes an empty entry with [Ring.SQE], fills
// it with one of the Prep methods of [SQE], and hands everything over with one system
// call: [Ring.Submit] does not block, [Ring.Wait] may. Completions are taken
// with [Ring.Reap].
//
//	ring, err := uring.New(uring.Config{})
//	...
//	ring.SQE().PrepRecv(fd, buf, 0)
//	...
//	if err := ring.Wait(1, time.Second); err != nil { ... }
//	var cqes [64]uring.CQE
//	for _, c := range cqes[:ring.Reap(cqes[:])] { ... }
//
// What goes wrong for a while is dealt with inside: a full submission queue is
// submitted, a call that was interrupted is made again, what the kernel left in the queue
// goes with the next call, and when completions overflow their queue, or the kernel takes
// nothing before it has been emptied, they are set aside until they are reaped. Nothing
// is lost, or reported twice, and none of it is an error for the caller. An error
// from Submit or Wait means that the ring is used wrongly.
//
// # Threads
//
// A ring belongs to one thread at a time: a goroutine that uses one should be
// locked to its thread. The kernel ties every request to the thread that
// submitted it and completes it in that thread's context; a request that is
// waiting when its thread exits ends with -ECANCELED instead, as late as when it
// would have had something to do. A ring may go from one thread to another, unless it was
// made with Config.Defer.
//
// # Memory
//
// Memory that an entry names (a buffer, an address, a timeout) must stay
// reachable until the completion has been reaped, and addresses in entries are
// plain numbers that the collector does not see. Go's heap does not move, so
// reachable is enough; what would be on a stack is moved to the heap.
//
// A [BufRing] has the kernel choose the buffer at the time when there is something to put
// into it. Its comment says who owns which bytes until when.
//
// # Requests that complete more than once
//
// A multishot request (PrepAcceptMultishot, PrepRecvMultishot, PrepPollAdd with
// PollAddMulti, ...) completes again and again, each time with [CQE.More], until the
// last completion, without it. The kernel may end one at any time. A zero-copy send
// completes with its result and then, if that has More, with [CQE.Notification]
// when the buffer is free.
//
// # The end
//
// [Ring.CancelAll] ends everything that is in flight and waits for it; after that
// [Ring.Close] leaves nothing behind. Close alone lets the kernel cancel later.
//
// # The driver
//
// [NewDriver] returns a driver.Driver over a ring. See driver.go.
//
// # Kernels
//
// Linux 5.13 is the oldest kernel accepted: waiting with a timeout needs 5.11
// (IORING_FEAT_EXT_ARG), and being woken by other threads a multishot poll, 5.13.
// Everything newer is used when it is there ([Info] says what a ring got, [Probe] what
// the kernel has, and since when kernels have it).
// Where io_uring is missing, forbidden or too old, New returns an error that
// wraps the errno: errors.Is(err, errors.ErrUnsupported) or
// errors.Is(err, fs.ErrPermission), and a caller falls back to epoll.
//
// What each feature gains, measured, is in docs/uring.md.
package uring
