//go:build go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

import (
	"fmt"
	"iter"
	"runtime"
	"unsafe"
)

// The linker lets package iter alone refer to runtime.newcoro and
// runtime.coroswitch. So their addresses are read off the calls that iter.Pull
// makes. A wrong one cannot be found: the Go runtime names each function for us.

// findEntries finds newcoro and coroswitch.
func findEntries() error {
	next, stop := iter.Pull(func(func(struct{}) bool) {})
	pull := iter.Pull[struct{}]
	defer stop()
	// The func value is a wrapper that passes the type's dictionary to the code
	// that is shared by types of one shape.
	shared, ok := findCall(code(&pull), func(name string) bool { return len(name) > 9 && name[:9] == "iter.Pull" })
	if !ok {
		shared = code(&pull)
	}
	for _, want := range []struct {
		name  string
		from  uintptr
		entry *uintptr
	}{
		{"runtime.newcoro", shared, &newcoroPC},
		{"runtime.coroswitch", code(&next), &coroswitchPC},
	} {
		pc, ok := findCall(want.from, func(name string) bool { return name == want.name })
		if !ok {
			return fmt.Errorf("cannot find %s", want.name)
		}
		*want.entry = pc
	}
	newcoro = funcAt[func(func(*coro)) *coro](&newcoroPC)
	coroswitch = funcAt[func(*coro)](&coroswitchPC)
	return nil
}

var newcoroPC, coroswitchPC, switchPC, reapPC, exitPC uintptr

// code returns the address of the code of a func value.
func code[F any](f *F) uintptr { return **(**uintptr)(unsafe.Pointer(f)) }

// longest is more than the code of iter.Pull takes.
const longest = 1 << 12

// findCall returns the first function with a wanted name that the function at
// entry calls.
func findCall(entry uintptr, want func(name string) bool) (uintptr, bool) {
	for pc := entry; pc < entry+longest; pc += instruction {
		// Functions are aligned to 16 bytes at least.
		if pc%16 == 0 {
			if f := runtime.FuncForPC(pc); f == nil || f.Entry() != entry {
				break
			}
		}
		target, ok := callTarget(pc)
		if !ok || target == entry {
			continue
		}
		if f := runtime.FuncForPC(target); f != nil && f.Entry() == target && want(f.Name()) {
			return target, true
		}
	}
	return 0, false
}
