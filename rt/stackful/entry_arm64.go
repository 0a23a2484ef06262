//go:build go1.26 && !go1.28 && gc && linux && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

// instruction is the distance at which instructions can begin.
const instruction = 4

// callTarget returns where the instruction at pc calls, if it is BL: 100101 and
// the distance in words, 26 bits.
func callTarget(pc uintptr) (uintptr, bool) {
	word := *at[uint32](pc)
	if word>>26 != 0b100101 {
		return 0, false
	}
	distance := int32(word<<6) >> 6
	return pc + uintptr(distance)*4, true
}
