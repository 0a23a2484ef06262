// Package differential runs random programs (package progen) in their plain form
// and as frames, and compares what they record. docs/testing.md says how to run it
// for long.
//
// The programs of a batch are packages that are linked into one binary, generated in
// one of these ways:
//
//	frames    as it is
//	stress    so that every await point suspends
//	mixed     as stress, with every second annotation taken away
//
// The binary also runs the oracle, the plain form on an ordinary goroutine, and
// in the first of them the plain form in a task. A program for which cogen fails, or makes what does not
// compile, differs, too. A program that differs is made smaller as long as it goes on to
// differ in the same way (shrink.go).
package differential
