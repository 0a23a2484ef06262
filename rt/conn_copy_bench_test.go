//go:build linux && !cogen_portable

package rt

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkProxy moves a stream from one connection to another, through memory and by the
// kernel. The figure that counts is cpu-ns/op, of the whole process, an op being a piece that
// is sent and, at the other end, read; both cost the same in all.
func BenchmarkProxy(b *testing.B) {
	for _, size := range []int{64, 4 << 10, 64 << 10} {
		for _, how := range []string{"copy", "borrow", "splice"} {
			b.Run(fmt.Sprintf("%s/%d", how, size), func(b *testing.B) {
				client, in := benchPair(b)
				out, peer := benchPair(b)
				switch how {
				case "copy":
					Go(plainly(func() { io.Copy(onlyWriter{out}, onlyReader{in}); out.Close() }))
				case "borrow":
					Go(plainly(func() { lentCopy(out, in); out.Close() }))
				case "splice":
					Go(plainly(func() { out.ReadFrom(in); out.Close() }))
				}
				buf := make([]byte, size)
				b.SetBytes(int64(size))
				measureCPU(b, func() {
					for range b.N {
						client.Write(buf)
						if _, err := peer.ReadFull(buf); err != nil {
							b.Fatal(err)
						}
					}
				})
				client.Close()
				in.Close()
				peer.Close()
			})
		}
	}
}

// lentCopy is a proxy's loop with lent buffers.
func lentCopy(out, in *Conn) {
	for {
		l, err := in.Borrow()
		if err != nil {
			return
		}
		_, err = out.Write(l.Bytes())
		l.Return()
		if err != nil {
			return
		}
	}
}

// BenchmarkSendFile sends a file that is in memory.
func BenchmarkSendFile(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		name := filepath.Join(b.TempDir(), "file")
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			b.Fatal(err)
		}
		for _, how := range []string{"copy", "sendfile"} {
			b.Run(fmt.Sprintf("%s/%d", how, size), func(b *testing.B) {
				f, err := Open(name)
				if err != nil {
					b.Fatal(err)
				}
				out, peer := benchPair(b)
				Go(plainly(func() {
					defer out.Close()
					for range b.N {
						f.Seek(0, io.SeekStart)
						if how == "copy" {
							io.Copy(onlyWriter{out}, plainReader{f})
						} else {
							out.ReadFrom(f)
						}
					}
				}))
				buf := make([]byte, size)
				b.SetBytes(int64(size))
				measureCPU(b, func() {
					for range b.N {
						if _, err := peer.ReadFull(buf); err != nil {
							b.Fatal(err)
						}
					}
				})
				peer.Close()
				f.Close()
			})
		}
	}
}

func benchPair(b *testing.B) (client, server *Conn) {
	b.Helper()
	client, server, err := newConnPair()
	if err != nil {
		b.Fatal(err)
	}
	return client, server
}

// measureCPU runs f and reports the processor time of the process for each op.
func measureCPU(b *testing.B, f func()) {
	used := func() int64 {
		var u unix.Rusage
		unix.Getrusage(unix.RUSAGE_SELF, &u)
		return u.Utime.Nano() + u.Stime.Nano()
	}
	b.ResetTimer()
	before := used()
	f()
	b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op")
	b.StopTimer()
}
