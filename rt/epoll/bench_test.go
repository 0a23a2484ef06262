//go:build linux

package epoll

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt/driver"
)

// BenchmarkRequest is a request of 64 bytes and its reply between two sockets of
// one driver: two reads that wait, two writes, two polls.
func BenchmarkRequest(b *testing.B) {
	for _, k := range []struct {
		name string
		pair func(*Driver) (x, y driver.FD)
	}{
		{"unix", func(*Driver) (x, y driver.FD) { return sockets(b) }},
		{"tcp", func(d *Driver) (x, y driver.FD) { return tcp(b, d, unix.SOCK_NONBLOCK) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			d := start(b)
			x, y := k.pair(d)
			owner := new(tally)
			op := func(code driver.Code, fd driver.FD, size int) *driver.Op {
				return &driver.Op{Code: code, FD: fd, Buf: make([]byte, size), Owner: owner}
			}
			in := [2]*driver.Op{op(driver.Recv, x, 4096), op(driver.Recv, y, 4096)}
			out := [2]*driver.Op{op(driver.Send, y, 64), op(driver.Send, x, 64)}
			for _, o := range in {
				wait(b, d, o)
			}
			before := d.count.Syscalls
			b.ReportAllocs()
			for b.Loop() {
				for i := range in {
					if !d.Submit(out[i]) {
						b.Fatal("a write has to wait")
					}
					for d.Poll() == 0 {
					}
					wait(b, d, in[i])
				}
			}
			b.ReportMetric(float64(d.count.Syscalls-before)/float64(b.N), "calls/op")
		})
	}
}

// BenchmarkWakeAwake is the wake-up of a driver that does not sleep.
func BenchmarkWakeAwake(b *testing.B) {
	d := start(b)
	for b.Loop() {
		d.Wake()
	}
}

// BenchmarkPollIdle is a turn with nothing to do, for as long as operations wait.
func BenchmarkPollIdle(b *testing.B) {
	d := start(b)
	a, _ := sockets(b)
	wait(b, d, &driver.Op{Code: driver.Recv, FD: a, Buf: make([]byte, 8), Owner: new(tally)})
	for b.Loop() {
		d.Poll()
	}
}
