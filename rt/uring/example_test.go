//go:build linux

package uring_test

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/uring"
)

// open makes a ring for an example. Where there is none the example prints what it
// would have printed, so that it can be run everywhere.
func open(cfg uring.Config, instead string) *uring.Ring {
	ring, err := uring.New(cfg)
	if err != nil {
		fmt.Println(instead)
		return nil
	}
	return ring
}

// next waits for one completion.
func next(ring *uring.Ring) uring.CQE {
	var cqes [1]uring.CQE
	for ring.Reap(cqes[:]) == 0 {
		if err := ring.Wait(1, -1); err != nil {
			panic(err)
		}
	}
	return cqes[0]
}

// Writing, reading and closing a file with one system call: the entries are linked, so
// each starts when the one before it has succeeded.
func Example() {
	runtime.LockOSThread() // a ring belongs to a thread
	defer runtime.UnlockOSThread()
	ring := open(uring.Config{}, "wrote 5, read \"hello\"")
	if ring == nil {
		return
	}
	defer ring.Close()

	f, err := os.CreateTemp("", "uring-example")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	fd := int32(f.Fd())

	in := make([]byte, 5)
	if err := ring.Reserve(2); err != nil { // a chain must not be split
		panic(err)
	}
	e := ring.SQE()
	e.PrepWrite(fd, []byte("hello"), 0)
	e.UserData, e.Flags = 1, uring.SQEIOLink
	e = ring.SQE()
	e.PrepRead(fd, in, 0)
	e.UserData = 2

	results := map[uint64]int32{}
	for range 2 {
		c := next(ring)
		if err := c.Err(); err != nil {
			panic(err)
		}
		results[c.UserData] = c.Res
	}
	fmt.Printf("wrote %d, read %q\n", results[1], in[:results[2]])
	// Output: wrote 5, read "hello"
}

// Receiving without a buffer of one's own: the kernel takes one from the ring of
// buffers when there is data, and the request stays.
func ExampleBufRing() {
	const want = "first\nsecond\nend of the stream"
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ring := open(uring.Config{}, want)
	if ring == nil {
		return
	}
	defer ring.Close()
	bufs, err := ring.NewBufRing(uring.BufRingConfig{Size: 4096, Buffers: 16, Max: 256})
	if err != nil || !uring.Probe().Has(uring.FeatureRecvMulti) {
		fmt.Println(want) // before Linux 6.0
		return
	}
	defer bufs.Close()

	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	defer unix.Close(p[0])

	ring.SQE().PrepRecvMultishot(int32(p[0]), bufs.Group(), 0)
	messages := []string{"first", "second"}
	for {
		if err := ring.Submit(); err != nil {
			panic(err)
		}
		if len(messages) > 0 {
			unix.Write(p[1], []byte(messages[0]))
			messages = messages[1:]
		} else {
			unix.Close(p[1])
		}
		c := next(ring)
		for _, chunk := range bufs.Take(nil, c) {
			fmt.Printf("%s\n", chunk.Data)
			bufs.Put(chunk) // the bytes are the kernel's again
		}
		switch {
		case c.Err() == unix.ENOBUFS:
			bufs.Grow(bufs.Buffers())
		case c.Err() != nil:
			panic(c.Err())
		case c.Res == 0:
			fmt.Println("end of the stream")
			return
		}
		if !c.More() {
			// The kernel has ended the request. To go on, submit it again.
			ring.SQE().PrepRecvMultishot(int32(p[0]), bufs.Group(), 0)
		}
	}
	// Output:
	// first
	// second
	// end of the stream
}

// Limiting the time of a request.
func ExampleSQE_PrepLinkTimeout() {
	const want = "the receive: operation canceled\nits limit: timer expired"
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ring := open(uring.Config{}, want)
	if ring == nil {
		return
	}
	defer ring.Close()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])

	if err := ring.Reserve(2); err != nil {
		panic(err)
	}
	buf := make([]byte, 16)
	e := ring.SQE()
	e.PrepRecv(int32(p[0]), buf, 0)
	e.UserData, e.Flags = 1, uring.SQEIOLink
	limit := &uring.Timespec{Nsec: int64(time.Millisecond)}
	e = ring.SQE()
	e.PrepLinkTimeout(limit, 0)
	e.UserData = 2

	// The two completions come in any order.
	errs := map[uint64]error{}
	for range 2 {
		c := next(ring)
		errs[c.UserData] = c.Err()
	}
	fmt.Println("the receive:", errs[1])
	fmt.Println("its limit:", errs[2])
	runtime.KeepAlive(buf)
	// Output:
	// the receive: operation canceled
	// its limit: timer expired
}

// What the running kernel can do.
func ExampleProbe() {
	f := uring.Probe()
	switch {
	case f.Err != nil:
		// No rings here: use epoll. f.Err says why.
	case f.Has(uring.FeatureRecvMulti):
		// Receive with PrepRecvMultishot.
	default:
		// Receive with PrepRecv. f.Missing says which kernel can do better.
	}
	fmt.Println(uring.FeatureRecvMulti, "came with Linux", uring.FeatureRecvMulti.Since())
	// Output: multishot receive came with Linux 6.0
}
