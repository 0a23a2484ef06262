//go:build linux

package drivertest

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"weak"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// testSubmitFromComplete serves an echo from completions only.
func testSubmitFromComplete(r *rig) {
	r.eachStream(func(a, b driver.FD) {
		in, out := r.recv(a, 100), r.op(driver.Send, a, nil)
		over := false
		advance := func(o *op) {
			for {
				switch {
				case o == in && in.Res == 0:
					over = true
					return
				case o == in && in.Res > 0:
					out.Buf = in.Buf[:in.Res]
					o = out
				case o == out && out.Res >= 0:
					if out.Buf = out.Buf[out.Res:]; len(out.Buf) == 0 {
						o = in
					}
				default:
					r.Fatalf("%s", o)
				}
				if !r.submit(o) {
					return
				}
			}
		}
		in.then, out.then = advance, advance
		if r.submit(in) {
			advance(in)
		}
		got := 0
		for i := range 200 {
			end := got + i
			r.write(b, newPattern(i, got))
			r.drive("an echo", func() bool {
				got = r.wantPattern(r.readAvailable(b), got)
				return got >= end
			})
		}
		r.check("shutdown", unix.Shutdown(int(b.Sysfd), unix.SHUT_WR))
		r.until("the end of the stream", func() bool { return over })
	})
}

// testReuse submits one operation again and again, as one code and another.
func testReuse(r *rig) {
	a, b := r.pair()
	o := r.recv(a, 8)
	buf := o.Buf
	for i := range 3_000 {
		o.Code, o.FD, o.Buf = driver.Recv, a, buf
		switch i % 3 {
		case 0:
			r.submit(o)
			r.write(b, []byte("bytes"))
			r.wantBytes(o, "bytes")
		case 1:
			r.submit(o)
			r.cancel(o)
			r.want(o, errno(unix.ECANCELED))
		case 2:
			r.write(b, []byte("bytes"))
			r.submit(o)
			r.wantBytes(o, "bytes")
		}
		o.Code, o.FD, o.Buf = driver.Send, b, []byte("sent")
		r.submit(o)
		r.want(o, 4)
		if got := string(r.readAvailable(a)); got != "sent" {
			r.Fatalf("received %q, want %q", got, "sent")
		}
	}
}

// testBusyDescriptor keeps one socket busy for ever, and wants others to be
// served within a number of turns all the same.
func testBusyDescriptor(r *rig) {
	const turns = 2_000
	a, b := r.pair()
	others := make([]*op, 20)
	peers := make([]driver.FD, len(others))
	for i := range others {
		c, d := r.pair()
		others[i], peers[i] = r.pending(r.recv(c, 16)), d
	}
	crowd := make([]*op, 200)
	for i := range crowd {
		crowd[i] = r.pending(r.recv(a, 1))
	}
	bytes := make([]byte, len(crowd))
	for turn := range turns {
		r.write(b, bytes)
		if turn == 10 {
			for _, p := range peers {
				r.write(p, []byte("quiet"))
			}
		}
		r.poll()
		for _, o := range crowd {
			if !o.inFlight {
				r.submit(o)
			}
		}
		if !slices.ContainsFunc(others, func(o *op) bool { return o.inFlight }) {
			for _, o := range others {
				r.wantBytes(o, "quiet")
			}
			return
		}
	}
	r.Errorf("a busy descriptor has kept others waiting for %d turns", turns)
}

// testCounters reads the counters from another thread all the time, and checks
// their totals.
func testCounters(r *rig) {
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		var last driver.Counters
		for {
			c := r.d.Counters()
			if c.Submitted < last.Submitted || c.Completed < last.Completed || c.Cancelled < last.Cancelled || c.Syscalls < last.Syscalls || c.Waits < last.Waits || c.Wakes < last.Wakes {
				r.Errorf("counters went from %+v to %+v", last, c)
			}
			last = c
			select {
			case <-stop:
				return
			default:
				r.d.Wake()
				time.Sleep(10 * time.Microsecond)
			}
		}
	})
	const rounds = 200
	a, b := r.pair()
	for range rounds {
		o := r.pending(r.recv(a, 16))
		r.write(b, []byte("bytes"))
		r.wantBytes(o, "bytes")
		o = r.pending(r.recv(a, 16))
		r.cancel(o)
		r.want(o, errno(unix.ECANCELED))
		r.wait(time.Microsecond)
	}
	close(stop)
	done.Wait()
	r.poll()
	c := r.d.Counters()
	if c.Submitted != 2*rounds || c.Completed != 2*rounds || c.Cancelled != rounds {
		r.Errorf("counters are %+v after %d operations, half of them cancelled", c, 2*rounds)
	}
	if c.Syscalls < c.Waits || c.Syscalls == 0 || c.Syscalls < c.Wakes {
		r.Errorf("counters do not add up: %+v", c)
	}
}

// many is the number of pairs of sockets that the process may open, up to 4,000.
func (r *rig) many() int {
	r.Helper()
	if testing.Short() {
		return 400
	}
	var limit unix.Rlimit
	r.check("getrlimit", unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	if limit.Cur < 600 {
		r.Skipf("the limit is %d descriptors", limit.Cur)
	}
	return int(min(4_000, (limit.Cur-200)/2))
}

// testMany lets an operation wait on each of many sockets, ends all of them in
// random order, and then cancels as many.
func testMany(r *rig) {
	n := r.many()
	rnd := rand.New(rand.NewPCG(5, 6))
	ops := make([]*op, n)
	peers := make([]driver.FD, n)
	for i := range ops {
		var a driver.FD
		a, peers[i] = r.pair()
		ops[i] = r.recv(a, 8)
	}
	for range 3 {
		for _, i := range rnd.Perm(n) {
			r.submit(ops[i])
		}
		r.settle()
		if r.flight != n {
			r.Fatalf("%d of %d operations are in flight", r.flight, n)
		}
		for k, i := range rnd.Perm(n) {
			r.write(peers[i], binary.BigEndian.AppendUint32(nil, uint32(i)))
			if k%512 == 0 {
				r.poll()
			}
		}
		r.until("the end of all operations", func() bool { return r.flight == 0 })
		for i, o := range ops {
			r.want(o, 4)
			if got := binary.BigEndian.Uint32(o.Buf); got != uint32(i) {
				r.Fatalf("operation %d received the bytes of %d", i, got)
			}
		}
	}
	for _, o := range ops {
		r.submit(o)
	}
	r.settle()
	for _, i := range rnd.Perm(n) {
		r.cancel(ops[i])
	}
	r.until("the end of all operations", func() bool { return r.flight == 0 })
	for _, o := range ops {
		r.want(o, errno(unix.ECANCELED))
	}
}

// testCollection has the garbage collector run all the time while operations
// are reachable through the driver only (rule 2).
func testCollection(r *rig) {
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	done.Go(func() {
		// Whatever is freed too early is soon written over.
		var junk [64][]byte
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			b := make([]byte, 512)
			for k := range b {
				b[k] = 0xaa
			}
			junk[i%len(junk)] = b
			if i%64 == 0 {
				runtime.Gosched()
			}
		}
	})
	defer done.Wait()
	defer close(stop)

	const pairs, size = 100, 512
	left := 0
	// start submits a Recv and a Send, and returns no reference to them.
	start := func(in, out driver.FD, salt int) (refs [2]weak.Pointer[op]) {
		x := r.recv(in, size)
		x.then = func(x *op) {
			left--
			if x.Res != size {
				r.Errorf("result is %d, %s", x.Res, x)
				return
			}
			r.wantPattern(x.Buf, salt)
		}
		y := r.op(driver.Send, out, newPattern(size, salt))
		y.then = func(y *op) {
			left--
			if y.Res != size {
				r.Errorf("result is %d, %s", y.Res, y)
			}
		}
		for i, o := range []*op{x, y} {
			left++
			refs[i] = weak.Make(o)
			if r.submit(o) {
				o.then(o)
			}
		}
		return refs
	}
	type ends struct {
		a, b, c, d driver.FD
		filled     int
	}
	for round := range 3 {
		var all []ends
		var refs [][2]weak.Pointer[op]
		for i := range pairs {
			var e ends
			e.a, e.b = r.pair()
			e.c, e.d = r.pair()
			r.check("setsockopt", unix.SetsockoptInt(int(e.c.Sysfd), unix.SOL_SOCKET, unix.SO_SNDBUF, 8<<10))
			e.filled = r.fill(e.c)
			all = append(all, e)
			refs = append(refs, start(e.a, e.c, round*1000+i))
		}
		r.settle()
		for range 5 {
			runtime.GC()
			r.poll()
		}
		if r.flight != left || left != 2*pairs {
			r.Fatalf("%d operations are in flight, want %d", r.flight, 2*pairs)
		}
		for _, p := range refs {
			if p[0].Value() == nil || p[1].Value() == nil {
				r.Fatalf("rule 2: an operation in flight is not reachable")
			}
		}
		got := make([][]byte, pairs)
		for i, e := range all {
			r.write(e.b, newPattern(size, round*1000+i))
		}
		r.drive("the end of all operations", func() bool {
			for i, e := range all {
				got[i] = append(got[i], r.readAvailable(e.d)...)
			}
			return left == 0
		})
		for i, e := range all {
			got[i] = append(got[i], r.readAvailable(e.d)...)
			if len(got[i]) != e.filled+size {
				r.Fatalf("%d bytes received, want %d", len(got[i]), e.filled+size)
			}
			r.wantPattern(got[i][e.filled:], round*1000+i)
			for _, fd := range []driver.FD{e.a, e.b, e.c, e.d} {
				r.shut(fd)
			}
		}
	}
}

// tally is the smallest owner.
type tally struct{ ended int }

func (c *tally) Complete(*driver.Op) { c.ended++ }

// testAllocations checks that what a worker does all the time allocates nothing.
func testAllocations(r *rig) {
	if r.d.Name() == "portable" {
		r.Skip("the portable driver starts a goroutine for what has to wait")
	}
	a, b := r.pair()
	owner := new(tally)
	in := &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 16), Owner: owner}
	out := &driver.Op{Code: driver.Send, FD: b, Buf: make([]byte, 16), Owner: owner}
	d := r.d
	want := 0
	submit := func(o *driver.Op) {
		want++
		if d.Submit(o) {
			owner.ended++
		}
	}
	round := func() {
		submit(in)
		d.Poll()
		submit(out)
		for owner.ended < want {
			d.Wait(time.Second)
		}
		submit(in)
		d.Cancel(in)
		for owner.ended < want {
			d.Wait(time.Second)
		}
		d.Wake()
		d.Wait(time.Second)
		d.Counters()
	}
	if n := testing.AllocsPerRun(500, round); n != 0 {
		r.Errorf("%v allocations for each round", n)
	}
}
