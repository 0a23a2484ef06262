//go:build linux

package uring

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// A Message is what a multishot RECVMSG has put into a buffer. Its slices are parts of
// that buffer.
type Message struct {
	Name    []byte // the raw address of the sender, cut off if there was not enough room
	Control []byte
	Payload []byte
	Flags   uint32 // MSG_TRUNC, MSG_CTRUNC, ...
}

// recvmsgHeader is the size of struct io_uring_recvmsg_out: four words, the lengths of
// name, control data and payload, and the flags.
const recvmsgHeader = 16

// ParseRecvmsg takes a buffer apart that [SQE.PrepRecvmsgMultishot] has filled: the
// Data of its chunk. msg is the one that the request was made with.
func ParseRecvmsg(buf []byte, msg *unix.Msghdr) (Message, error) {
	// A header, then as much room for name and control data as msg asked for,
	// then the payload.
	name := recvmsgHeader
	control := name + int(msg.Namelen)
	payload := control + int(msg.Controllen)
	if len(buf) < payload {
		return Message{}, fmt.Errorf("uring: recvmsg: a buffer of %d bytes for a header of %d", len(buf), payload)
	}
	word := func(i int) int { return int(binary.NativeEndian.Uint32(buf[4*i:])) }
	return Message{
		Name:    buf[name : name+min(word(0), int(msg.Namelen))],
		Control: buf[control : control+min(word(1), int(msg.Controllen))],
		Payload: buf[payload : payload+min(word(2), len(buf)-payload)],
		Flags:   uint32(word(3)),
	}, nil
}
