package rt

import "unsafe"

// NilReceiver reports whether v holds a nil pointer, or another nil that is a
// single word. Generated code asks before it looks for a method of v beside the one
// that the source calls, so that a fault names the latter: a method with a value
// receiver panics when it is called through a nil pointer.
func NilReceiver(v any) bool {
	// An interface is two words, type and data (internal/abi.EmptyInterface).
	// The data word is the value itself if that is pointer-shaped, and else points to it
	// and is never nil. It is only compared.
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] == nil
}
