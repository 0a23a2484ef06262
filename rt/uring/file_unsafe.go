//go:build linux

package uring

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// pathPointer is the first byte of a path that ends with a 0 byte.
func pathPointer(path string) *byte { return unsafe.StringData(path) }

// statxPointer is the struct that the kernel writes into buf. Sound: buf is long
// enough, the struct has no pointers, and only the kernel writes to it, which
// does not mind how it is aligned.
func statxPointer(buf []byte) *unix.Statx_t {
	return (*unix.Statx_t)(unsafe.Pointer(unsafe.SliceData(buf[:driver.StatSize])))
}
