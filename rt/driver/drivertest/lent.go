//go:build linux

package drivertest

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// The tests of rule 7: buffers that the driver chooses.

// lent does a RecvLent, which must find something or fail.
func (r *rig) lent(fd driver.FD) *op {
	r.Helper()
	o := r.tryLent(fd)
	for o.Res == errno(unix.EAGAIN) {
		wait := r.op(driver.Readable, fd, nil)
		r.submit(wait)
		r.want(wait, 0)
		o = r.tryLent(fd)
	}
	return o
}

// tryLent does a RecvLent.
func (r *rig) tryLent(fd driver.FD) *op {
	r.Helper()
	o := r.op(driver.RecvLent, fd, nil)
	if !r.submit(o) {
		r.Fatalf("rule 7: not ended by Submit, %s", o)
	}
	return o
}

// takeLent takes the bytes of an ended operation, and gives the buffer back.
func (o *op) takeLent() []byte {
	b := o.Lent
	o.Lent = nil
	data := append([]byte(nil), b.Data...)
	if int(o.Res) != len(data) {
		o.r.Errorf("rule 7: the buffer has %d bytes, %s", len(data), o)
	}
	if turn := b.Turn(); !b.Return(turn) || b.Return(turn) {
		o.r.Errorf("a buffer can be returned twice, or not at all")
	}
	return data
}

// wantLent waits until the RecvLent o has ended and checks what it received.
func (r *rig) wantLent(o *op, data string) {
	r.Helper()
	if r.end(o) <= 0 {
		r.Fatalf("%s, want %q", o, data)
	}
	if got := string(o.takeLent()); got != data {
		r.Fatalf("received %q, want %q", got, data)
	}
}

func testLent(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		for range 5 {
			r.want(r.tryLent(a), errno(unix.EAGAIN))
			o := r.pending(r.op(driver.Readable, a, nil))
			r.write(b, []byte("bytes"))
			r.want(o, 0)
			r.wantLent(r.tryLent(a), "bytes")
		}
		// Longer than a buffer, and then with Recv by turns.
		const total = 40<<10 + 1
		r.write(b, newPattern(total, 0))
		for pos, i := 0, 0; pos < total; i++ {
			if i%2 == 0 {
				o := r.lent(a)
				if r.end(o) <= 0 {
					r.Fatalf("%s", o)
				}
				pos = r.wantPattern(o.takeLent(), pos)
				continue
			}
			o := r.received(a, 100)
			pos = r.wantPattern(o.Buf[:max(0, r.end(o))], pos)
		}
		r.shut(b)
		r.want(r.lent(a), 0)
		r.want(r.lent(a), 0)
		r.want(r.closing(a), 0)
		r.want(r.lent(a), errno(unix.EBADF))
	})
}

// testLentKept keeps more and more buffers. Other receives go on all the same, and
// what the buffers hold stays.
func testLentKept(r *rig) {
	a, b := r.tcpPair()
	const count = 3_000
	kept := make([]*driver.Buffer, 0, count)
	for i := range count {
		r.write(b, newPattern(100, i))
		o := r.lent(a)
		if r.end(o) != 100 {
			r.Fatalf("after %d buffers: %s", i, o)
		}
		kept = append(kept, o.Lent)
		o.Lent = nil
	}
	for i, buf := range kept {
		r.wantPattern(buf.Data, i)
	}
	// They come back from many threads at once.
	var done sync.WaitGroup
	for i := range 4 {
		done.Go(func() {
			for k := i; k < count; k += 4 {
				kept[k].Return(kept[k].Turn())
			}
		})
	}
	for range 100 {
		r.write(b, []byte("meanwhile"))
		r.wantLent(r.lent(a), "meanwhile")
	}
	done.Wait()
}

// testLentAfterClose gives a buffer back when its driver is closed.
func testLentAfterClose(r *rig) {
	a, b := r.pair()
	r.write(b, []byte("late"))
	o := r.lent(a)
	r.end(o)
	r.closeDriver()
	r.wantLent(o, "late")
}

func testLentAllocations(r *rig) {
	if r.d.Name() == "portable" {
		r.Skip("the portable driver starts a goroutine for what has to wait")
	}
	a, b := r.tcpPair()
	owner := new(tally)
	in := &driver.Op{Code: driver.RecvLent, FD: a, Owner: owner}
	wait := &driver.Op{Code: driver.Readable, FD: a, Owner: owner}
	data := make([]byte, 64)
	want := 0
	if n := testing.AllocsPerRun(500, func() {
		want++
		if r.d.Submit(wait) {
			owner.ended++
		}
		r.d.Poll()
		unix.Write(int(b.Sysfd), data)
		for owner.ended < want {
			r.d.Wait(time.Second)
		}
		r.d.Submit(in)
		in.Lent.Return(in.Lent.Turn())
		in.Lent = nil
		r.d.Submit(in)
	}); n != 0 {
		r.Errorf("%v allocations for each receive", n)
	}
}
