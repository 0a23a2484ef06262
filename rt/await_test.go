package rt

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Every plain form works on a goroutine, in a task, and deep below it.
func TestAwaitAnywhere(t *testing.T) {
	await := func() {
		f := &yielder{n: 3}
		if got := Await(f); got != f || f.n != 0 {
			t.Errorf("Await returned %p with n=%d", got, f.n)
		}
		Sleep(time.Microsecond)
		Yield()
		ran := false
		Blocking(func() { ran = true })
		if !ran {
			t.Error("Blocking did not call its function")
		}
	}
	await()
	Run(plainly(await))
	eachDriver(t, func(t *testing.T, r *Runtime) {
		r.Run(plainly(await))
		r.Run(plainly(func() { deep(200, await) }))
	})
}

// deep calls f with n frames of some size above it.
func deep(n int, f func()) byte {
	var b [512]byte
	if n == 0 {
		f()
	} else {
		b[n%len(b)] = deep(n-1, f)
	}
	return b[0]
}

// A slowReader yields before each byte, in plain form.
type slowReader struct{ r io.Reader }

func (s slowReader) Read(p []byte) (int, error) {
	Yield()
	return s.r.Read(p[:1])
}

// Packages that know nothing of tasks wait in the middle of their work.
func TestAwaitUnderOtherPackages(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				r.Run(plainly(func() {
					text := strings.Repeat(fmt.Sprintf("line %d\n", i), 20)
					lines := bufio.NewScanner(slowReader{strings.NewReader(text)})
					n := 0
					for lines.Scan() {
						if lines.Text() != fmt.Sprintf("line %d", i) {
							t.Errorf("task %d read %q", i, lines.Text())
						}
						n++
					}
					if n != 20 {
						t.Errorf("task %d read %d lines", i, n)
					}
				}))
			})
		}
		wg.Wait()
		if s := r.Stats(); s.Suspensions == 0 {
			t.Error("no stack was ever set aside")
		}
	})
}

// The context stays that of its stack while others run.
func TestContextSurvivesSuspension(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		check := func(cx *Context, me *task) {
			if cx.task != me || currentContext() != cx {
				t.Error("the context has changed")
			}
		}
		var tasks []Task
		for range 20 {
			tasks = append(tasks, r.Go(pollFunc(func(cx *Context) bool {
				me := cx.task
				for range 20 {
					Yield()
					check(cx, me)
					deep(3, func() { Sleep(time.Microsecond) })
					check(cx, me)
				}
				return true
			})))
		}
		for _, h := range tasks {
			h.Wait()
		}
	})
}

// A pollFunc is a future by its Poll.
type pollFunc func(cx *Context) bool

func (f pollFunc) Poll(cx *Context) bool { return f(cx) }

// Frames and plain code wait for each other in layers: a frame polls a future
// that calls plain code that awaits a frame.
func TestLayers(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var layer func(n int) Future
		layer = func(n int) Future {
			if n == 0 {
				return &yielder{n: 2}
			}
			y := &yielder{n: 2}
			return pollFunc(func(cx *Context) bool {
				// As a frame with two awaits, the second one in plain form.
				if y != nil {
					if !y.Poll(cx) {
						return false
					}
					y = nil
				}
				Await(layer(n - 1))
				return true
			})
		}
		r.Run(layer(10))
	})
}

func TestThousandsOfSuspendedStacks(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		const n = 3000
		release := make(chan bool)
		gate := r.Go(newReceiver(release))
		var reached, left atomic.Int64
		var tasks []Task
		for i := range n {
			tasks = append(tasks, r.Go(plainly(func() {
				deep(i%20, func() {
					reached.Add(1)
					gate.Wait()
					Yield()
				})
				left.Add(1)
			})))
		}
		waitFor(t, func() bool { return reached.Load() == n })
		runtime.GC()
		if left.Load() != 0 {
			t.Error("a task did not wait")
		}
		close(release)
		for _, h := range tasks {
			h.Wait()
		}
		if left.Load() != n {
			t.Errorf("%d of %d finished", left.Load(), n)
		}
	})
}

// A task may wait on a coroutine of its own making.
func TestAwaitOnACoroutine(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		slowly := func(yield func(int) bool) {
			for i := range 10 {
				Yield()
				Sleep(time.Microsecond)
				Blocking(runtime.Gosched)
				Await(&yielder{n: 2})
				r.Go(&yielder{n: 2}).Wait()
				r.Run(&yielder{n: 2})
				if !yield(i) {
					return
				}
			}
		}
		var tasks []Task
		for range 20 {
			tasks = append(tasks, r.Go(plainly(func() {
				next, stop := iter.Pull(slowly)
				defer stop()
				for i := range 10 {
					if v, ok := next(); !ok || v != i {
						t.Errorf("got %d, %v, want %d", v, ok, i)
					}
					Yield()
				}
			})))
		}
		for _, h := range tasks {
			h.Wait()
		}
	})
	// Closing unwinds the coroutine and then the task.
	r := newRuntime(t, "", 1)
	before := busyGoroutines()
	var unwound []string
	reached := make(chan bool)
	r.Go(plainly(func() {
		defer func() { unwound = append(unwound, "task") }()
		next, stop := iter.Pull(func(yield func(int) bool) {
			defer func() { unwound = append(unwound, "coroutine") }()
			close(reached)
			Sleep(time.Hour)
		})
		defer stop()
		next()
		t.Error("the coroutine went on")
	}))
	<-reached
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(unwound); got != "[coroutine task]" {
		t.Errorf("unwound %s", got)
	}
	waitFor(t, func() bool { return busyGoroutines() <= before })
}

func TestWaitingOutsideATaskPanics(t *testing.T) {
	eachDriverWith(t, 1, func(t *testing.T, r *Runtime) {
		onWorker(r.workers[0], func() {
			defer func() {
				if v := recover(); v == nil {
					t.Error("no panic")
				}
			}()
			Await(&yielder{n: 1})
		})
	})
}

// A task of one runtime waits for a task of another.
func TestTwoRuntimes(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		other := newRuntime(t, "", 1)
		defer other.Close()
		r.Run(plainly(func() {
			home := currentContext().worker
			other.Run(plainly(func() {
				if currentContext().worker.runtime != other {
					t.Error("on the wrong runtime")
				}
				Sleep(time.Microsecond)
			}))
			other.Go(&yielder{n: 10}).Wait()
			if currentContext().worker != home {
				t.Error("came back elsewhere")
			}
			func() {
				defer func() {
					if v := recover(); v != "over there" {
						t.Errorf("recovered %v", v)
					}
				}()
				other.Run(plainly(func() { panic("over there") }))
			}()
		}))
	})
}
