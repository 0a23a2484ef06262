package rt

import (
	"math/bits"
	"sync"
)

// Files that are opened with O_DIRECT are read and written by the disk itself,
// past the memory of the system. Buffers, offsets and lengths must be multiples of
// the disk's block size then, which is at most alignment on all usual disks.

// alignment is that of aligned buffers, in bytes.
const alignment = 4096

// alignedPools keep aligned buffers by size, alignment << index.
var alignedPools [19]sync.Pool // of *byte

// AlignedBuffer returns a buffer of n bytes that starts at a multiple of 4096, for
// files that are opened with O_DIRECT. Its capacity is n rounded up to a power of
// two times 4096. The bytes may have any value. Give it back with
// [FreeAlignedBuffer] when it is no longer used, or leave it to the collector.
func AlignedBuffer(n int) []byte {
	class := alignedClass(n)
	if class >= len(alignedPools) {
		return makeAligned(n)[:n]
	}
	if p, ok := alignedPools[class].Get().(*byte); ok {
		return alignedSlice(p, alignment<<class)[:n]
	}
	return makeAligned(alignment << class)[:n]
}

// FreeAlignedBuffer gives back a buffer that [AlignedBuffer] returned, which may
// have been shortened at its end. Nothing may use it any more, in particular no
// operation that is still under way. Other slices must not be given.
func FreeAlignedBuffer(b []byte) {
	class := alignedClass(cap(b))
	if cap(b) == 0 || class >= len(alignedPools) || cap(b) != alignment<<class {
		return
	}
	alignedPools[class].Put(&b[:1][0])
}

// alignedClass is the index of the pool for buffers of n bytes.
func alignedClass(n int) int { return bits.Len(uint(max(n, 1)-1) / alignment) }
