//go:build !cogen_invariants

// Package invariants says whether the program checks, while it runs, what it relies
// on. That costs time, so it does only when it is built with the tag cogen_invariants.
package invariants

// Enabled guards checks; where it is false the compiler leaves them out.
const Enabled = false
