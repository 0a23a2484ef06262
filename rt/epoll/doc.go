// Package epoll is a driver (see package driver) over an epoll set, for kernels
// and containers that do not offer io_uring.
//
// An operation is first tried as a system call that cannot block. Only when the
// kernel says that it would have to wait is the descriptor added to the set,
// and the call is made again when the set reports an edge. Three invariants
// make this right; the code cites them by number.
//
// E1. The first operation in a queue waits for an edge only if its direction is
// marked blocked, which happens when a call has shown that there was nothing to
// be had and the descriptor was in the set, or was added to it right after the
// call. Every edge clears the mark, whether somebody waits or not. So an edge is
// never lost: either it finds the operation waiting, or the operation finds the
// mark cleared and is tried.
//
// E2. The set's event data is the descriptor's number and the generation of its
// table entry. The generation changes whenever the number is taken to mean
// another opening, so what is left of the events of an earlier opening meets no
// entry.
//
// E3. Nothing is called back while queues are being worked on. Operations that
// have ended go to one list, and are delivered from it at the end of Poll and
// Wait. Complete may therefore submit and cancel as it likes.
//
// A descriptor stays registered, edge triggered and for both directions, from
// its first wait until it is closed: one EPOLL_CTL_ADD for each opening and
// driver. No call takes it out again, because the kernel does that when the
// last descriptor of the open file is closed. A descriptor may be used on
// several drivers at once: each set gets its own edges.
package epoll
