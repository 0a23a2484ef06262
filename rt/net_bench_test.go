package rt

import (
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkEcho serves 64-byte echoes on 64 connections to clients in another
// process. It reports the processor time of the server for one request, which is
// what differs: the clients are the same for all.
func BenchmarkEcho(b *testing.B) {
	const connections = 64
	b.Run("net", func(b *testing.B) {
		l := must(net.Listen("tcp", "127.0.0.1:0"))(b)
		var serving sync.WaitGroup
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				serving.Go(func() {
					defer c.Close()
					buf := make([]byte, 4096)
					for {
						n, err := c.Read(buf)
						if err != nil {
							return
						}
						if _, err := c.Write(buf[:n]); err != nil {
							return
						}
					}
				})
			}
		})
		load(b, l.Addr().String(), connections)
		l.Close()
		serving.Wait()
	})
	for _, m := range driverMakers {
		b.Run(m.name, func(b *testing.B) {
			r := newRuntime(b, m.name, 0)
			address, stop := startEcho(b, r)
			before := r.Stats()
			load(b, address, connections)
			var calls uint64
			for i, w := range r.Stats().Workers {
				calls += w.Counters.Syscalls - before.Workers[i].Counters.Syscalls
			}
			b.ReportMetric(float64(calls)/float64(b.N), "syscalls/req")
			stop()
			waitFor(b, func() bool { return r.Stats().Tasks() == 0 })
			r.Close()
		})
	}
}

// load has another process make b.N requests, and reports what they cost this one.
func load(b *testing.B, address string, connections int) {
	b.Helper()
	clients := exec.Command(os.Args[0], "-test.run=^TestEchoLoad$")
	clients.Env = append(os.Environ(), "COGEN_TEST_LOAD="+address,
		"COGEN_TEST_CLIENTS="+strconv.Itoa(connections), "COGEN_TEST_REQUESTS="+strconv.Itoa(b.N))
	clients.Stderr = os.Stderr
	before := cpuTime(b)
	b.ResetTimer()
	if err := clients.Run(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/req")
}

func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestEchoLoad is the other process of BenchmarkEcho.
func TestEchoLoad(t *testing.T) {
	address := os.Getenv("COGEN_TEST_LOAD")
	if address == "" {
		t.Skip("runs as a part of BenchmarkEcho")
	}
	connections := must(strconv.Atoi(os.Getenv("COGEN_TEST_CLIENTS")))(t)
	requests := must(strconv.Atoi(os.Getenv("COGEN_TEST_REQUESTS")))(t)
	var clients sync.WaitGroup
	for i := range connections {
		clients.Go(func() {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			buf := make([]byte, 64)
			for range (requests + i) / connections {
				if _, err := c.Write(buf); err != nil {
					t.Error(err)
					return
				}
				if _, err := io.ReadFull(c, buf); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
}
