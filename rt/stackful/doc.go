// Package stackful gives code a stack of its own to run on, a [Runner], which
// can be suspended anywhere in the depth of its calls and resumed later.
//
// A worker of package rt runs its poll loop on a runner. When plain code
// inside a task has to wait, the whole stack is set aside and the worker goes
// on with another runner. Nothing about it is visible to the code that waits.
//
// Words: home is the goroutine that made a runner; it calls [Runner.Resume]
// and gets control back when the runner suspends itself or ends. A runner never
// switches to another runner directly.
//
// Rules:
//
//  1. A runner belongs to the thread of its home. Home is locked to its thread
//     before it makes the first runner, and stays so: the Go runtime ties a
//     coroutine to the thread, and to the depth of LockOSThread calls, at
//     which it was made. [Runner.Rehome] gives a suspended runner another home.
//  2. Resume is called by home only, Suspend by the code on the runner only.
//  3. A runner that is no longer wanted is resumed until it ends, or ended by
//     [Runner.Kill], before home's goroutine ends. One that is only forgotten
//     leaks its goroutine, and home's place in the table of goroutines.
//  4. Code that has locked its thread by LockOSThread may suspend before it unlocks
//     it on the exchange engine only. It may not unlock more than it has
//     locked, nor suspend inside a callback from C: the Go runtime ends the
//     program then.
//
// How a switch is made is an engine's affair. The portable engine is iter.Pull;
// it works everywhere. The exchange engine makes two goroutines exchange their
// stacks, in assembly, at about a third of the cost; docs/stackful.md says why that
// is sound and when it is not used. The environment variable COGEN_STACKFUL, or
// the build tag cogen_portable, forces an engine.
package stackful
