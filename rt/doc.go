// Package rt runs state machines: the futures that cogen generates from
// ordinary functions, and hand-written ones, over io_uring or epoll, or on other
// systems over what every Go system has.
//
// # Using it
//
// [Go] starts a future as a task, [Run] runs one and waits for it. Everything
// that waits comes in two forms. The plain form is an ordinary call, such as
// [Sleep], and works anywhere: on an ordinary goroutine it parks the goroutine;
// in a task, at any depth of calls, it sets the stack of the calling code aside
// and the worker goes on with other tasks. The async form, its companion, has the
// same name with Async at the end and returns a future; in functions marked
// //cogen:async, cogen turns calls of the plain form into it.
//
// # How it works
//
// A worker is an OS thread with its own run queue, timers and driver. A task
// stays on the worker where it was started, and between two waits on one
// thread. Each turn of a worker's loop polls the tasks that can run, up to a
// bound, then takes in what other threads sent, fires timers, and lets the
// driver start and deliver operations; if there is nothing to run, it sleeps in
// the driver. See [Future] for the contract between a worker and what it polls.
//
// # Limits
//
// Code in a task must not wait in plain form between a runtime.LockOSThread of
// its own and the matching UnlockOSThread: the stack it would leave behind is
// bound to the worker's thread, and the Go runtime ends the program. Code that
// blocks the thread itself, such as a native channel operation in a function
// that is not async, holds up the other tasks of the worker; see [Blocking].
package rt
