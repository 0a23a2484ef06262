// Package uring is io_uring for Go without cgo: the raw ring, and a driver for
// package rt built over it.
//
// # The ring
//
// [New] sets up a [Ring]. A caller takes an empty entry with [Ring.SQE], fills
// it with one of the Prep methods, and hands everything over with one system
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
// A ring belongs to one thread at a time: a goroutine that uses one should be
// locked to its thread. The kernel ties every request to the thread that
// submitted it and completes it in that thread's context; a request that is
// waiting when its thread exits ends with -ECANCELED instead, as late as when it
// would have had something to do.
//
// Memory that an entry names (a buffer, an address, a timeout) must stay
// reachable until the completion has been reaped, and addresses in entries are
// plain numbers that the collector does not see. Go's heap does not move, so
// reachable is enough.
//
// # The driver
//
// [NewDriver] returns a driver.Driver over a ring. See driver.go.
//
// # Kernels
//
// Linux 5.13 is the oldest kernel accepted: waiting with a timeout needs 5.11
// (IORING_FEAT_EXT_ARG), and being woken by other threads a multishot poll, 5.13.
// Everything newer is used when it is there ([Info] says what was found).
// Where io_uring is missing, forbidden or too old, New returns an error that
// wraps the errno: errors.Is(err, errors.ErrUnsupported) or
// errors.Is(err, fs.ErrPermission), and a caller falls back to epoll.
package uring
