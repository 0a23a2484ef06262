package rt

import "unsafe"

// makeAligned allocates at least n bytes, with n as the capacity. The address of
// memory on the heap is looked at to find a multiple of alignment in it; that it
// stays one is sound because the collector does not move what is on the heap, and
// the memory is there, for the slice is returned.
func makeAligned(n int) []byte {
	b := make([]byte, n)
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%alignment == 0 {
		return b // as large sizes usually are
	}
	b = make([]byte, n+alignment-1)
	at := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (alignment - 1)
	return b[at : at+n : at+n]
}

// alignedSlice is the buffer of size bytes that starts at p, which came out of one
// of that size.
func alignedSlice(p *byte, size int) []byte { return unsafe.Slice(p, size) }
