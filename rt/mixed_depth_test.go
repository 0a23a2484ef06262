package rt

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// An alternation is a frame, as cogen would generate it, that waits, calls plain code
// which awaits the next alternation in plain form, and waits again. Below
// are n more.
type alternation struct {
	state int
	n     int
	sleep SleepFuture
	trace *[]string
}

func (f *alternation) Poll(cx *Context) bool {
	switch f.state {
	case 0:
		f.sleep.Init(time.Microsecond)
		f.state = 1
		fallthrough
	case 1:
		if !f.sleep.Poll(cx) {
			return false
		}
		*f.trace = append(*f.trace, fmt.Sprint("frame ", f.n))
		f.plain(cx)
		f.sleep.Init(time.Microsecond)
		f.state = 2
		fallthrough
	default:
		if !f.sleep.Poll(cx) {
			return false
		}
		*f.trace = append(*f.trace, fmt.Sprint("frame ", f.n, " ends"))
		return true
	}
}

// plain waits in a deferred call as well, and within a function that is ranged
// over.
func (f *alternation) plain(cx *Context) {
	defer func() {
		Yield()
		if currentContext() != cx {
			panic("a frame's context is not that of the plain code that it calls")
		}
		*f.trace = append(*f.trace, fmt.Sprint("deferred ", f.n))
	}()
	if f.n == 0 {
		panic(fmt.Sprintf("%d layers of plain code", layers()))
	}
	for n := range f.below() {
		Await(&alternation{n: n, trace: f.trace})
	}
}

func (f *alternation) below() iter.Seq[int] {
	return func(yield func(int) bool) {
		Sleep(time.Microsecond)
		yield(f.n - 1)
	}
}

// layers counts the calls of plain in the caller's traceback.
func layers() int {
	pcs := make([]uintptr, 1000)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	n := 0
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "(*alternation).plain") {
			n++
		}
		if !more {
			return n
		}
	}
}

// Frames and plain code call each other in many layers, all of them wait, and a
// panic at the bottom goes through all of them.
func TestMixedDepth(t *testing.T) {
	const depth = 20
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var want []string
		for n := depth; n >= 0; n-- {
			want = append(want, fmt.Sprint("frame ", n))
		}
		for n := range depth + 1 {
			want = append(want, fmt.Sprint("deferred ", n))
		}
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				var trace []string
				defer func() {
					if v, want := fmt.Sprint(recover()), fmt.Sprintf("%d layers of plain code", depth+1); !strings.Contains(v, want) {
						t.Errorf("the panic is %s, want %s", v, want)
					}
					if got := fmt.Sprint(trace); got != fmt.Sprint(want) {
						t.Errorf("task %d did\n%s, want\n%v", i, got, want)
					}
				}()
				r.Run(&alternation{n: depth, trace: &trace})
			})
		}
		all.Wait()
	})
}
