package rt

import "unsafe"

// addressOf is a number only; nothing is done with it but to look at it.
func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
