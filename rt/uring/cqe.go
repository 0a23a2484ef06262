//go:build linux

package uring

import "golang.org/x/sys/unix"

// More reports whether the request will complete again: a multishot request goes
// on, or the notification of a zero-copy send is still to come. The completion
// without it is the last one, whatever its result, and may come at any time: the
// kernel ends a multishot request on any error (-ENOBUFS: no buffer left;
// -ECANCELED: also when the submitting thread has exited), at the end of a stream, or
// when the completion queue has overflowed. Whoever wants it to go on submits it
// again.
func (c CQE) More() bool { return c.Flags&CQEMore != 0 }

// Notification reports whether c says that the kernel has let go of the buffer
// of a zero-copy send, which had completed before with More set.
func (c CQE) Notification() bool { return c.Flags&CQENotif != 0 }

// BufferID returns the buffer that the request has used, if it used a provided
// one. [BufRing.Take] finds the bytes.
func (c CQE) BufferID() (id uint16, ok bool) {
	return uint16(c.Flags >> cqeBufferShift), c.Flags&CQEBuffer != 0
}

// Err returns the error of the request as a unix.Errno, or nil.
func (c CQE) Err() error {
	if c.Res < 0 && c.Flags&CQENotif == 0 {
		return unix.Errno(-c.Res)
	}
	return nil
}
