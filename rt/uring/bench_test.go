//go:build linux

package uring

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// BenchmarkNop is a round trip through the kernel: the cost of an enter.
func BenchmarkNop(b *testing.B) {
	lock(b)
	r := openRing(b, Config{})
	var cqes [1]CQE
	b.ReportAllocs()
	for b.Loop() {
		r.SQE().PrepNop()
		r.Submit()
		r.Reap(cqes[:])
	}
}

// BenchmarkNopWait is BenchmarkNop with a call that Go's scheduler is told about.
func BenchmarkNopWait(b *testing.B) {
	lock(b)
	r := openRing(b, Config{})
	var cqes [1]CQE
	b.ReportAllocs()
	for b.Loop() {
		r.SQE().PrepNop()
		r.Wait(1, -1)
		r.Reap(cqes[:])
	}
}

// BenchmarkNopBatch is the cost of one operation among many in one enter.
func BenchmarkNopBatch(b *testing.B) {
	lock(b)
	r := openRing(b, Config{})
	var cqes [64]CQE
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(cqes) {
		for range cqes {
			r.SQE().PrepNop()
		}
		r.Submit()
		r.Reap(cqes[:])
	}
}

// BenchmarkDriverNop is BenchmarkNop through the driver.
func BenchmarkDriverNop(b *testing.B) {
	lock(b)
	d := openDriver(b, Config{})
	defer d.Close()
	op := &driver.Op{Owner: &owner{}}
	b.ReportAllocs()
	for b.Loop() {
		d.Submit(op)
		d.Poll()
	}
}

// BenchmarkDriverNopBatch is BenchmarkNopBatch through the driver.
func BenchmarkDriverNopBatch(b *testing.B) {
	lock(b)
	d := openDriver(b, Config{})
	defer d.Close()
	ops := make([]driver.Op, 64)
	for i := range ops {
		ops[i].Owner = &owner{}
	}
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(ops) {
		for i := range ops {
			d.Submit(&ops[i])
		}
		d.Poll()
	}
}

// echoEnd answers whatever it receives.
type echoEnd struct {
	d    *Driver
	op   driver.Op
	buf  [64]byte
	left *int
}

func (e *echoEnd) Complete(op *driver.Op) {
	if op.Res <= 0 {
		return // the end of the benchmark
	}
	if op.Code == driver.Recv {
		*e.left--
		op.Code, op.Buf = driver.Send, e.buf[:op.Res]
	} else {
		op.Code, op.Buf = driver.Recv, e.buf[:]
	}
	e.d.Submit(op)
}

// benchPingPong has n pairs of sockets that pass 64 bytes back and forth on one
// driver; an operation is one message, sent and received.
func benchPingPong(b *testing.B, n int) { benchPingPongOn(b, Config{}, n) }

func benchPingPongOn(b *testing.B, cfg Config, n int) {
	lock(b)
	d := openDriver(b, cfg)
	left := 0
	for range n {
		x, y := socketpair(b)
		for i, fd := range []int32{x, y} {
			e := &echoEnd{d: d, left: &left}
			e.op = driver.Op{Code: driver.Recv, FD: driver.FD{Sysfd: fd}, Buf: e.buf[:], Owner: e}
			if i == 0 {
				e.op.Code = driver.Send
			}
			d.Submit(&e.op)
		}
	}
	b.ReportAllocs()
	before := d.Counters()
	b.ResetTimer()
	for left = b.N; left > 0; {
		d.Wait(-1)
	}
	b.StopTimer()
	after := d.Counters()
	b.ReportMetric(float64(after.Syscalls-before.Syscalls)/float64(b.N), "syscalls/op")
	d.Close()
}

func BenchmarkPingPong1(b *testing.B)   { benchPingPong(b, 1) }
func BenchmarkPingPong64(b *testing.B)  { benchPingPong(b, 64) }
func BenchmarkPingPong500(b *testing.B) { benchPingPong(b, 500) }

// BenchmarkPingPongSyscalls is the same message by plain system calls that are
// always ready.
func BenchmarkPingPongSyscalls(b *testing.B) {
	lock(b)
	x, y := socketpair(b)
	buf := make([]byte, 64)
	for b.Loop() {
		unix.Write(int(x), buf)
		unix.Read(int(y), buf)
	}
}

// BenchmarkWakeAwake is a wake-up of a driver that does not sleep.
func BenchmarkWakeAwake(b *testing.B) {
	lock(b)
	d := openDriver(b, Config{})
	defer d.Close()
	for b.Loop() {
		d.Wake()
	}
}

// benchWakeSend is what a waker pays when the driver sleeps, without the switch
// to the other thread.
func benchWakeSend(b *testing.B, cfg Config) {
	lock(b)
	d := openDriver(b, cfg)
	defer d.Close()
	d.Wait(1)
	for b.Loop() {
		d.waker.send()
		d.Poll()
	}
}

func BenchmarkWakeMessage(b *testing.B) { benchWakeSend(b, Config{}) }
func BenchmarkWakeEvent(b *testing.B)   { benchWakeSend(b, Config{noMsgRing: true}) }

// BenchmarkBufRing is what our side of a provided buffer costs: taking the bytes and
// giving them back. The kernel has no part in it.
func BenchmarkBufRing(b *testing.B) {
	lock(b)
	r := openRing(b, Config{})
	bufs := openBufRing(b, r, BufRingConfig{Size: 64, Buffers: 64})
	chunks := make([]Chunk, 0, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := CQE{Res: 64, Flags: CQEMore | CQEBuffer | uint32(i%64)<<cqeBufferShift}
		for _, chunk := range bufs.Take(chunks[:0], c) {
			bufs.Put(chunk)
		}
	}
}
