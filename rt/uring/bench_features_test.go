//go:build linux

package uring

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Each benchmark here has a feature on and off as sub-benchmarks. What counts is
// cpu-ns/op: the CPU time of the whole process, kernel threads of the ring included, which
// says the same on a busy machine. docs/uring.md has the figures and how to repeat them.

// cpuTime starts measuring CPU time; what it returns reports it.
func cpuTime(b *testing.B) func() {
	now := func() int64 {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
			b.Fatal(err)
		}
		return ts.Nano()
	}
	b.ResetTimer()
	start := now()
	return func() {
		b.StopTimer()
		b.ReportMetric(float64(now()-start)/float64(b.N), "cpu-ns/op")
	}
}

// reapN submits and waits until n completions have been handled.
func reapN(b *testing.B, r *Ring, n int, f func(c CQE)) {
	var cqes [64]CQE
	for {
		k := r.Reap(cqes[:])
		for _, c := range cqes[:k] {
			if c.Err() != nil {
				b.Fatalf("%+v", c)
			}
			f(c)
		}
		if n -= k; n <= 0 && !r.unsubmitted() {
			return
		}
		if err := r.Submit(); err != nil {
			b.Fatal(err)
		}
	}
}

func ignore(CQE) {}

// BenchmarkFeatureEnter is the cost of the system call by the kind of ring and call, with
// one entry in it and with 64; an operation is one entry.
func BenchmarkFeatureEnter(b *testing.B) {
	submit := func(r *Ring, _ int) error { return r.Submit() }
	wait := func(r *Ring, n int) error { return r.Wait(n, -1) }
	for _, c := range []struct {
		name     string
		cfg      Config
		enter    func(r *Ring, n int) error
		register bool
	}{
		{"raw", Config{}, submit, false},
		{"syscall", Config{}, wait, false},
		{"registered", Config{}, submit, true},
		{"deferred", Config{Defer: true}, submit, false},
		{"sqarray", Config{Without: SetupNoSQArray}, submit, false},
	} {
		for _, batch := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/batch=%d", c.name, batch), func(b *testing.B) {
				lock(b)
				r := openRing(b, c.cfg)
				if c.register {
					if err := r.RegisterRingFD(); err != nil {
						b.Skip(err)
					}
				}
				var cqes [64]CQE
				defer cpuTime(b)()
				for i := 0; i < b.N; i += batch {
					for range batch {
						r.SQE().PrepNop()
					}
					if err := c.enter(r, batch); err != nil {
						b.Fatal(err)
					}
					r.Reap(cqes[:])
				}
			})
		}
	}
}

// BenchmarkFeatureSQPoll is a message from one socket to another, 32 pairs at once, with
// and without the kernel's submission thread.
func BenchmarkFeatureSQPoll(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  Config
	}{{"off", Config{}}, {"on", Config{SQPoll: &SQPoll{Idle: 100 * time.Millisecond}}}} {
		b.Run(c.name, func(b *testing.B) { benchMessages(b, c.cfg, messages{}) })
	}
}

// messages says how benchMessages moves them.
type messages struct {
	size      int // 64 if it is 0
	fixed     bool
	multishot bool
	bufRing   bool
	inc       bool
	bundle    bool
	pollFirst bool
	limit     bool // a link timeout with every receive
	bufSize   int  // 4096 if it is 0
}

// benchMessages sends messages between 32 pairs of sockets and receives them; an
// operation is one message.
func benchMessages(b *testing.B, cfg Config, m messages) {
	lock(b)
	const pairs = 32
	if m.size == 0 {
		m.size = 64
	}
	if m.bufSize == 0 {
		m.bufSize = 4096
	}
	r := openRing(b, cfg)
	var bufs *BufRing
	if m.bufRing || m.multishot {
		bufs = openBufRing(b, r, BufRingConfig{Size: m.bufSize, Buffers: 256, Incremental: m.inc})
	}
	var rd, wr [pairs]int32
	for i := range pairs {
		rd[i], wr[i] = socketpair(b)
	}
	var flags uint8
	if m.fixed {
		if err := r.RegisterFiles(2 * pairs); err != nil {
			b.Fatal(err)
		}
		r.UpdateFiles(0, rd[:])
		r.UpdateFiles(pairs, wr[:])
		for i := range pairs {
			rd[i], wr[i] = int32(i), int32(pairs+i)
		}
		flags = SQEFixedFile
	}
	msg := make([]byte, m.size)
	in := make([]byte, pairs*m.size)
	hour := &Timespec{Sec: 3600}
	const sent, timeout = 1 << 32, 1 << 33
	recv := func(i int) {
		if m.limit {
			r.Reserve(2)
		}
		e := r.SQE()
		switch {
		case m.multishot:
			e.PrepRecvMultishot(rd[i], bufs.Group(), 0)
		case m.bufRing:
			e.PrepRecv(rd[i], nil, 0)
			e.SelectBuffer(bufs.Group())
		default:
			e.PrepRecv(rd[i], in[i*m.size:(i+1)*m.size], 0)
		}
		if m.pollFirst {
			e.IOPrio |= RecvSendPollFirst
		}
		if m.bundle {
			e.IOPrio |= RecvSendBundle
		}
		e.Flags |= flags
		e.UserData = uint64(i)
		if m.limit {
			e.Flags |= SQEIOLink
			e = r.SQE()
			e.PrepLinkTimeout(hour, 0)
			e.UserData = timeout
		}
	}
	var got [pairs]int
	send := func(i int) {
		got[i] = 0
		e := r.SQE()
		e.PrepSend(wr[i], msg, 0)
		e.Flags = flags
		e.UserData = sent
	}
	left := 0
	var chunks []Chunk
	handle := func(c CQE) {
		i := int(c.UserData)
		if c.UserData >= sent {
			if c.Err() != nil && c.UserData == sent {
				b.Fatalf("send: %+v", c)
			}
			return
		}
		if bufs != nil {
			chunks = bufs.Take(chunks[:0], c)
			for _, ch := range chunks {
				bufs.Put(ch)
			}
		}
		if c.Err() != nil && c.Err() != unix.ENOBUFS {
			b.Fatalf("receive: %+v", c)
		}
		got[i] += int(max(c.Res, 0))
		if !c.More() {
			recv(i)
		}
		if got[i] == m.size {
			left--
			send(i)
		}
	}
	for i := range pairs {
		recv(i)
	}
	r.Submit()
	for i := range pairs {
		send(i)
	}
	var cqes [64]CQE
	defer cpuTime(b)()
	for left = b.N; left > 0; {
		n := r.Reap(cqes[:])
		for _, c := range cqes[:n] {
			handle(c)
		}
		if n == 0 || r.unsubmitted() {
			if err := r.Submit(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkFeatureRecv is a message of 64 bytes, received in different ways.
func BenchmarkFeatureRecv(b *testing.B) {
	for _, c := range []struct {
		name string
		m    messages
	}{
		{"plain", messages{}},
		{"fixed-files", messages{fixed: true}},
		{"poll-first", messages{pollFirst: true}},
		{"link-timeout", messages{limit: true}},
		{"provided", messages{bufRing: true}},
		{"multishot", messages{multishot: true}},
		{"multishot-incremental", messages{multishot: true, inc: true}},
		{"multishot-bundle", messages{multishot: true, bundle: true}},
		{"multishot-fixed-files", messages{multishot: true, fixed: true}},
	} {
		b.Run(c.name, func(b *testing.B) { benchMessages(b, Config{}, c.m) })
	}
	b.Run("plain-deferred", func(b *testing.B) { benchMessages(b, Config{Defer: true}, messages{}) })
	b.Run("multishot-deferred", func(b *testing.B) { benchMessages(b, Config{Defer: true}, messages{multishot: true}) })
}

// BenchmarkFeatureBundle is a message of 32 KiB, which takes many buffers.
func BenchmarkFeatureBundle(b *testing.B) {
	for _, c := range []struct {
		name string
		m    messages
	}{
		{"off", messages{multishot: true}},
		{"on", messages{multishot: true, bundle: true}},
		{"incremental-of-64KiB", messages{multishot: true, inc: true, bufSize: 1 << 16}},
	} {
		c.m.size = 32 << 10
		b.Run(c.name, func(b *testing.B) { benchMessages(b, Config{}, c.m) })
	}
}

// BenchmarkFeatureBuffers reads from a file in the page cache into a buffer that is
// registered or is not.
func BenchmarkFeatureBuffers(b *testing.B) {
	f, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 1<<20)); err != nil {
		b.Fatal(err)
	}
	fd := int32(f.Fd())
	for _, size := range []int{4 << 10, 64 << 10} {
		for _, registered := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%d/registered=%v", size, registered), func(b *testing.B) {
				lock(b)
				r := openRing(b, Config{})
				buf := make([]byte, size)
				if registered {
					if err := r.RegisterBuffers(1); err != nil {
						b.Skip(err)
					}
					if err := r.UpdateBuffers(0, buf); err != nil {
						b.Skip(err)
					}
				}
				const batch = 16
				defer cpuTime(b)()
				for i := 0; i < b.N; i += batch {
					for range batch {
						if registered {
							r.SQE().PrepReadFixed(fd, buf, 0, 0)
						} else {
							r.SQE().PrepRead(fd, buf, 0)
						}
					}
					reapN(b, r, batch, ignore)
				}
			})
		}
	}
}

// BenchmarkFeatureAccept is a connection made, accepted and closed.
func BenchmarkFeatureAccept(b *testing.B) {
	for _, mode := range []string{"single", "multishot", "multishot-direct"} {
		b.Run(mode, func(b *testing.B) {
			lock(b)
			r := openRing(b, Config{})
			need(b, r, OpSocket)
			fd, port := listener(b)
			if err := r.RegisterFiles(64); err != nil {
				b.Fatal(err)
			}
			arm := func() {
				e := r.SQE()
				if mode == "single" {
					e.PrepAccept(fd, unix.SOCK_CLOEXEC)
					return
				}
				e.PrepAcceptMultishot(fd, 0)
				if mode == "multishot-direct" {
					e.SetDirect(FileIndexAlloc)
				}
			}
			to := &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
			arm()
			r.Submit()
			defer cpuTime(b)()
			for range b.N {
				s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
				if err != nil {
					b.Fatal(err)
				}
				// No TIME_WAIT, which would use the ports up.
				unix.SetsockoptLinger(s, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
				if err := unix.Connect(s, to); err != nil {
					b.Fatal(err)
				}
				accepted := false
				for !accepted {
					reapN(b, r, 1, func(c CQE) {
						if c.UserData != 0 {
							return
						}
						accepted = true
						e := r.SQE()
						if mode == "multishot-direct" {
							e.PrepCloseDirect(uint32(c.Res))
						} else {
							e.PrepClose(c.Res)
						}
						e.UserData = 1
						if !c.More() {
							arm()
						}
					})
				}
				unix.Close(s)
			}
		})
	}
}

// BenchmarkFeatureZeroCopy sends on TCP over loopback, copying and not; an operation is
// a message sent and read by the other end, in this process.
func BenchmarkFeatureZeroCopy(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10} {
		for _, mode := range []string{"copy", "zc", "zc-registered"} {
			b.Run(fmt.Sprintf("size=%d/%s", size, mode), func(b *testing.B) {
				lock(b)
				r := openRing(b, Config{})
				need(b, r, OpSendZC)
				fd, port := listener(b)
				client := dial(b, port)
				conn := must(b, r, func(e *SQE) { e.PrepAccept(fd, unix.SOCK_CLOEXEC) })
				defer unix.Close(int(conn))
				unix.SetsockoptInt(int(client), unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20)
				data, in := make([]byte, size), make([]byte, size)
				if mode == "zc-registered" {
					if err := r.RegisterBuffers(1); err != nil {
						b.Skip(err)
					}
					if err := r.UpdateBuffers(0, data); err != nil {
						b.Skip(err)
					}
				}
				var cqes [4]CQE
				defer cpuTime(b)()
				for range b.N {
					e := r.SQE()
					switch mode {
					case "copy":
						e.PrepSend(conn, data, unix.MSG_WAITALL)
					case "zc":
						e.PrepSendZC(conn, data, unix.MSG_WAITALL, 0)
					default:
						e.PrepSendZC(conn, data, unix.MSG_WAITALL, RecvSendFixedBuf)
					}
					r.Submit()
					for n := 0; n < size; {
						k, err := unix.Read(int(client), in)
						if err != nil {
							b.Fatal(err)
						}
						n += k
					}
					for ended := false; !ended; {
						n := r.Reap(cqes[:])
						for _, c := range cqes[:n] {
							if c.Err() != nil {
								b.Fatalf("%+v", c)
							}
							ended = ended || !c.More()
						}
						if n == 0 {
							r.Submit()
						}
					}
				}
			})
		}
	}
}

// BenchmarkFeatureDefer is BenchmarkPingPong64 on rings of the two kinds that a worker
// can have.
func BenchmarkFeatureDefer(b *testing.B) {
	for _, pairs := range []int{1, 64} {
		for _, c := range []struct {
			name string
			cfg  Config
		}{{"coop", Config{}}, {"deferred", Config{Defer: true}}, {"interrupts", Config{Without: SetupCoopTaskrun | SetupTaskrunFlag}}} {
			b.Run(fmt.Sprintf("pairs=%d/%s", pairs, c.name), func(b *testing.B) {
				defer cpuTime(b)()
				benchPingPongOn(b, c.cfg, pairs)
			})
		}
	}
}
