//go:build linux && !cogen_portable

package rt

import (
	"bytes"
	"encoding/binary"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where the path is in a struct sockaddr_un.
const saPath = 2

// rawUnixAddr encodes the name of a UNIX socket. As in package net, a leading @
// stands for a 0 byte: the name is abstract, not one of a file. The empty name is that
// of no address; bound to, the kernel chooses one.
func rawUnixAddr(name string) (r rawAddr, err error) {
	abstract := name != "" && (name[0] == '@' || name[0] == 0)
	// The name of a file ends with a 0 byte.
	if len(name) > len(r.b)-saPath || !abstract && len(name) == len(r.b)-saPath {
		return r, syscall.EINVAL
	}
	binary.NativeEndian.PutUint16(r.b[:], unix.AF_UNIX)
	copy(r.b[saPath:], name)
	r.n = uint8(saPath + len(name))
	switch {
	case abstract:
		r.b[saPath] = 0
	case name != "":
		r.n++
	}
	return r, nil
}

// unixAddr decodes the address of a UNIX socket. One without a name is called @, as
// package net does.
func (r *rawAddr) unixAddr(n network) *net.UnixAddr {
	name := r.b[saPath:]
	if name[0] == 0 {
		name[0] = '@'
	}
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return &net.UnixAddr{Name: string(name), Net: n.String()}
}
