//go:build linux

package rt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// randomReads is a frame that reads blocks of 4 KiB at random until all have been
// read.
type randomReads struct {
	file  *File
	left  *atomic.Int64
	buf   []byte
	rnd   *rand.Rand
	state int
	read  FileReadAtFuture
	err   error
}

const benchFileSize = 256 << 20

func (f *randomReads) Poll(cx *Context) bool {
	for {
		if f.state == 0 {
			if f.left.Add(-1) < 0 {
				return true
			}
			f.read.Init(f.file, f.buf, 4096*f.rnd.Int64N(benchFileSize/4096))
			f.state = 1
		}
		if !f.read.Poll(cx) {
			return false
		}
		f.state = 0
		if _, f.err = f.read.Result(); f.err != nil {
			return true
		}
	}
}

// BenchmarkRandomReads reads 4 KiB at random, many at once, buffered and past the
// memory of the system: by tasks on each driver, and by goroutines with package os.
func BenchmarkRandomReads(b *testing.B) {
	name := filepath.Join(b.TempDir(), "file")
	f := must(os.Create(name))(b)
	for range benchFileSize >> 20 {
		f.Write(make([]byte, 1<<20))
	}
	f.Sync()
	f.Close()
	for _, direct := range []bool{false, true} {
		flag, kind := os.O_RDONLY, "buffered"
		if direct {
			flag, kind = flag|unix.O_DIRECT, "direct"
		}
		for _, depth := range []int{1, 16, 64, 256} {
			at := fmt.Sprintf("%s/%d/", kind, depth)
			report := func(b *testing.B, before time.Duration) {
				b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
			}
			b.Run(at+"goroutines", func(b *testing.B) {
				f := must(os.OpenFile(name, flag, 0))(b)
				defer f.Close()
				var left atomic.Int64
				left.Store(int64(b.N))
				var all sync.WaitGroup
				before := cpuTime(b)
				b.ResetTimer()
				for i := range depth {
					all.Go(func() {
						rnd := rand.New(rand.NewPCG(1, uint64(i)))
						buf := AlignedBuffer(4096)
						for left.Add(-1) >= 0 {
							if _, err := f.ReadAt(buf, 4096*rnd.Int64N(benchFileSize/4096)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				report(b, before)
			})
			for _, m := range driverMakers[:2] {
				b.Run(at+m.name, func(b *testing.B) {
					r := newRuntime(b, m.name, 1)
					defer r.Close()
					f := must(OpenFile(name, flag, 0))(b)
					defer f.Close()
					var left atomic.Int64
					left.Store(int64(b.N))
					before := cpuTime(b)
					b.ResetTimer()
					tasks := make([]Task, depth)
					for i := range tasks {
						tasks[i] = r.Go(&randomReads{file: f, left: &left, buf: AlignedBuffer(4096), rnd: rand.New(rand.NewPCG(1, uint64(i)))})
					}
					for _, t := range tasks {
						t.Wait()
					}
					report(b, before)
				})
			}
		}
	}
}
