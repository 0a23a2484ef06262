//go:build linux

package driver

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawMsg is the message as the kernel wants it. The pointers in it are typed, so
// the collector sees what they point to.
type rawMsg struct {
	hdr unix.Msghdr
	one unix.Iovec
	vec []unix.Iovec
}

// Raw returns op's message for recvmsg and sendmsg. It stays valid, and is
// reachable from op.Msg, until the next call.
func (op *Op) Raw() *unix.Msghdr {
	m := op.Msg
	r := &m.raw
	r.hdr = unix.Msghdr{}
	if len(m.Name) > 0 {
		r.hdr.Name = unsafe.SliceData(m.Name)
		r.hdr.Namelen = uint32(len(m.Name))
	}
	if len(m.Control) > 0 {
		r.hdr.Control = unsafe.SliceData(m.Control)
		r.hdr.SetControllen(len(m.Control))
	}
	if op.Code == SendMsg && op.Buf == nil && len(m.Bufs) > 0 {
		r.vec = r.vec[:0]
		for _, b := range m.Bufs[:min(len(m.Bufs), MaxBufs)] {
			v := unix.Iovec{Base: unsafe.SliceData(b)}
			v.SetLen(len(b))
			r.vec = append(r.vec, v)
		}
		r.hdr.Iov = unsafe.SliceData(r.vec)
		r.hdr.SetIovlen(len(r.vec))
		return &r.hdr
	}
	r.one.Base = unsafe.SliceData(op.Buf)
	r.one.SetLen(len(op.Buf))
	r.hdr.Iov = &r.one
	r.hdr.SetIovlen(1)
	return &r.hdr
}

// Received notes what recvmsg has stored in the raw message.
func (m *Msg) Received() {
	m.NameLen = min(int(m.raw.hdr.Namelen), len(m.Name))
	m.ControlLen = int(m.raw.hdr.Controllen)
	m.Flags = int(m.raw.hdr.Flags)
}

// Release drops what the raw message refers to.
func (m *Msg) Release() {
	r := &m.raw
	r.hdr, r.one = unix.Msghdr{}, unix.Iovec{}
	clear(r.vec)
}
