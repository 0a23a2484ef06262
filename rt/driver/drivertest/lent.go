//go:build linux

package drivertest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// The tests of rule 7: buffers that the driver chooses.

// lent submits a RecvLent.
func (r *rig) lent(fd driver.FD) *op {
	r.Helper()
	o := r.op(driver.RecvLent, fd, nil)
	r.submit(o)
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
			o := r.lent(a)
			r.settle()
			if !o.inFlight {
				r.Fatalf("ended with nothing to end it, %s", o)
			}
			r.write(b, []byte("bytes"))
			r.wantLent(o, "bytes")
			r.write(b, []byte("more"))
			r.ready(int(a.Sysfd), unix.POLLIN)
			r.wantLent(r.lent(a), "more")
		}
		// Longer than a buffer, and then with Recv by turns.
		const total = 10*driver.BufferSize + 1
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
		o := r.lent(a)
		r.shut(b)
		r.want(o, 0)
		r.want(r.lent(a), 0)
		r.want(r.closing(a), 0)
		r.want(r.lent(a), errno(unix.EBADF))
	})
}

// testLentCancel cancels receives as bytes come: they are reported, with a buffer,
// or left where they are; and no buffer is lost, however often that happens.
func testLentCancel(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		rnd := rand.New(rand.NewPCG(7, 8))
		for i := range 3_000 {
			o := r.lent(a)
			if i%3 > 0 {
				r.poll()
			}
			late := rnd.IntN(2) == 0
			if !late {
				r.write(b, []byte("precious"))
			}
			r.cancel(o)
			if late {
				r.write(b, []byte("precious"))
			}
			if r.end(o) == errno(unix.ECANCELED) {
				o = r.lent(a)
			}
			r.wantLent(o, "precious")
		}
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

// testLentStorm has many sockets receive at once, again and again, more than the
// driver has buffers for at first.
func testLentStorm(r *rig) {
	n := r.many()
	ops := make([]*op, n)
	peers := make([]driver.FD, n)
	for i := range ops {
		var a driver.FD
		a, peers[i] = r.pair()
		ops[i] = r.op(driver.RecvLent, a, nil)
	}
	for range 3 {
		for _, o := range ops {
			r.submit(o)
		}
		r.settle()
		for i, p := range peers {
			r.write(p, newPattern(64, i))
		}
		r.until("the end of all operations", func() bool { return r.flight == 0 })
		for i, o := range ops {
			if o.Res != 64 {
				r.Fatalf("%s", o)
			}
			r.wantPattern(o.takeLent(), i)
		}
	}
}

// testLentAfterClose gives a buffer back when its driver is closed.
func testLentAfterClose(r *rig) {
	a, b := r.pair()
	r.write(b, []byte("late"))
	o := r.lent(a)
	r.end(o)
	waiting := r.lent(a)
	r.closeDriver()
	if waiting.Res != errno(unix.ECANCELED) {
		r.Errorf("%s, want ECANCELED", waiting)
	}
	r.wantLent(o, "late")
}

func testLentAllocations(r *rig) {
	a, b := r.tcpPair()
	owner := new(tally)
	in := &driver.Op{Code: driver.RecvLent, FD: a, Owner: owner}
	data := make([]byte, 64)
	want := 0
	if n := testing.AllocsPerRun(500, func() {
		want++
		if r.d.Submit(in) {
			owner.ended++
		}
		r.d.Poll()
		unix.Write(int(b.Sysfd), data)
		for owner.ended < want {
			r.d.Wait(time.Second)
		}
		in.Lent.Return(in.Lent.Turn())
		in.Lent = nil
	}); n != 0 {
		r.Errorf("%v allocations for each receive", n)
	}
}
