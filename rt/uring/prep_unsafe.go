//go:build linux

package uring

import "unsafe"

// All uses of unsafe here turn the address of memory that the caller keeps
// reachable (see prep.go) into the number that the kernel wants. That is sound
// because the memory is on the heap (or static), where nothing moves: what would
// otherwise live on a goroutine's stack, which does move, is forced onto the heap by
// escapes.

// never is false. The compiler does not know that, and so takes what escapes
// stores in sink for escaped.
var (
	never bool
	//lint:ignore U1000 it is written so that what is written escapes
	sink unsafe.Pointer
)

func escapes(p unsafe.Pointer) uint64 {
	if never {
		sink = p
	}
	return uint64(uintptr(p))
}

// pointer is p as the kernel wants it, 0 for nil.
func pointer[T any](p *T) uint64 { return escapes(unsafe.Pointer(p)) }

// array is the address of the first element of s.
func array[T any](s []T) uint64 { return escapes(unsafe.Pointer(unsafe.SliceData(s))) }

// Prep fills an entry with what most operations have; the other fields are set
// afterwards, by the names that the kernel's header gives them (see [SQE]). It is for
// operations that have no method of their own. addr may be nil.
func (e *SQE) Prep(op Opcode, fd int32, addr unsafe.Pointer, n uint32, off uint64) {
	*e = SQE{Opcode: op, FD: fd, Addr: escapes(addr), Len: n, Off: off}
}

// sizeof is the size of what p points to.
func sizeof[T any](*T) uintptr {
	var v T
	return unsafe.Sizeof(v)
}
