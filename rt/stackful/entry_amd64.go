//go:build go1.26 && !go1.28 && gc && linux && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

// instruction is the distance at which instructions can begin.
const instruction = 1

// callTarget returns where a call at pc goes, if there is one: E8 and the
// distance from the next instruction. The byte may as well be part of another
// instruction. It is followed by four more bytes of text in any case, since
// the linker pads functions.
func callTarget(pc uintptr) (uintptr, bool) {
	if *at[byte](pc) != 0xe8 {
		return 0, false
	}
	b := at[[4]byte](pc + 1)
	distance := int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	return pc + 5 + uintptr(distance), true
}
