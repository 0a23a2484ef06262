//go:build linux

package blocking

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// bytesOf is the memory of st. Sound: it is as long as the struct, which has no
// pointers, and the slice keeps it alive.
func bytesOf(st *unix.Statx_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(st)), unsafe.Sizeof(*st))
}
