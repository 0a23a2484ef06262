// Package progen makes random Go packages for tests of cogen: well-typed,
// terminating programs that mix the forms of the language with await points,
// and that record what they do, so that two ways of running one can be compared.
//
// A program follows from its seed alone. It has these properties, cited by number:
//
//  1. It type-checks. Functions are made one at a time and checked; one that
//     breaks a rule that the generator does not model, such as constant
//     overflow, is made again.
//  2. It terminates. Every function, and every function literal that can be
//     called from afar, begins by asking trace.Spent, and so does every loop.
//  3. What it does is what gc makes of it, always the same: no order of maps, no
//     addresses, no races. Goroutines take turns: whoever starts one waits
//     for it before doing anything else.
//  4. It does not wait for a goroutine in a function literal, where a task would
//     hold up its worker.
package progen
