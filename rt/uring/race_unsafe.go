//go:build linux && race

package uring

import (
	"runtime"
	"unsafe"

	"github.com/cogen-go/cogen/rt/driver"
)

// The race detector does not see what the kernel does. As package syscall does
// for its reads and writes, tell it that a receive writes the buffer and a send
// reads it, and that what happened before a send happened before the receive
// that gets the data.

var ioSync byte

// raceSubmit is called when op is submitted. The addresses are passed to the
// detector, which does not dereference them.
func raceSubmit(op *driver.Op) {
	switch op.Code {
	case driver.Send, driver.Write:
	case driver.SendMsg:
		for _, b := range op.Msg.Bufs {
			raceRead(b)
		}
	default:
		return
	}
	runtime.RaceReleaseMerge(unsafe.Pointer(&ioSync))
	raceRead(op.Buf)
}

func raceRead(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}

// raceComplete is called when op has ended; addresses as in raceSubmit.
func raceComplete(op *driver.Op) {
	if op.Code != driver.Recv && op.Code != driver.Read && op.Code != driver.RecvMsg || op.Res < 0 {
		return
	}
	runtime.RaceAcquire(unsafe.Pointer(&ioSync))
	if n := int(op.Res); n > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(op.Buf)), n)
	}
}

// raceTake is called when a completion has brought data; addresses as in
// raceSubmit.
func raceTake(data []byte) {
	runtime.RaceAcquire(unsafe.Pointer(&ioSync))
	if len(data) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(data)), len(data))
	}
}
