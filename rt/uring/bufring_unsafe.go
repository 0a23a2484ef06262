//go:build linux

package uring

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapEntries maps the memory for n entries, which the kernel wants to begin on a
// page.
func (b *BufRing) mapEntries(n int) error {
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANONYMOUS | unix.MAP_PRIVATE
	m, err := unix.Mmap(-1, 0, n*int(unsafe.Sizeof(bufEntry{})), prot, flags)
	if err != nil {
		return err
	}
	b.mapping = m
	// Not Go memory: it stays where it is until unmapEntries, which clears
	// this slice too. The length is that of the mapping.
	b.entries = unsafe.Slice((*bufEntry)(unsafe.Pointer(&m[0])), n)
	return nil
}

func (b *BufRing) unmapEntries() error {
	m := b.mapping
	b.mapping, b.entries = nil, nil
	b.bufs, b.free = nil, 0
	return unix.Munmap(m)
}

// address of a buffer as the kernel wants it. Buffers are made by make and kept by
// BufRing.bufs, and the ring keeps the BufRing, so they are on the heap, where
// nothing moves, and reachable for as long as the kernel has the number.
func address(mem []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
}

// publish shows the kernel the entries provided so far.
//
// The kernel reads the tail with smp_load_acquire (io_uring/kbuf.c,
// io_ring_buffer_select), which wants a release here, and Go has no atomic store of
// 16 bits. The tail shares a 32-bit word, aligned, with the bid of the first entry.
// This thread is the only writer of both (the kernel changes addr and len only,
// and only of incremental rings), so storing the word whole, with the bid
// as it is, changes the tail and nothing else.
func (b *BufRing) publish() {
	e := &b.entries[0]
	word := uint32(e.bid) | uint32(b.tail)<<16
	if bigEndian {
		word = uint32(e.bid)<<16 | uint32(b.tail)
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&e.bid)), word)
}

// register, unregister and head are io_uring_register; the kernel uses the
// argument during the call only.
func (b *BufRing) register() unix.Errno {
	reg := bufReg{
		ringAddr:    uint64(uintptr(unsafe.Pointer(&b.entries[0]))),
		ringEntries: uint32(len(b.entries)),
		bgid:        b.group,
	}
	if b.inc {
		reg.flags = pbufRingInc
	}
	return b.ring.register(registerPbufRing, unsafe.Pointer(&reg), 1)
}

func (b *BufRing) unregister() unix.Errno {
	reg := bufReg{bgid: b.group}
	return b.ring.register(unregisterPbufRing, unsafe.Pointer(&reg), 1)
}

// head asks the kernel how many buffers it has used up (Linux 6.8).
func (b *BufRing) head() (uint16, unix.Errno) {
	st := bufStatus{group: uint32(b.group)}
	errno := b.ring.register(registerPbufStatus, unsafe.Pointer(&st), 1)
	return uint16(st.head), errno
}
