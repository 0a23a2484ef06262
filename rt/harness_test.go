package rt

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"
)

// The Go runtime opens descriptors for its own poller when the first timer is
// started. They must not be taken for a leak by tests that count descriptors.
func init() {
	time.Sleep(time.Nanosecond)
	// Nor must the standby threads that the default runtime makes on a busy
	// machine be taken for goroutines that leaked. The tests' own runtimes hand over.
	if d, err := time.ParseDuration(os.Getenv("COGEN_HANDOFF")); err == nil {
		testHandOff = d
	}
	os.Setenv("COGEN_HANDOFF", "-1s")
}

// testHandOff is how long a poll may take on the tests' own runtimes.
var testHandOff = defaultHandOff

// eachDriver runs test with a runtime on each driver, of two workers, and then
// checks that nothing is left over: no tasks, timers, operations or goroutines.
func eachDriver(t *testing.T, test func(t *testing.T, r *Runtime)) {
	eachDriverWith(t, 2, test)
}

func eachDriverWith(t *testing.T, workers int, test func(t *testing.T, r *Runtime)) {
	for _, m := range driverMakers {
		t.Run(m.name, func(t *testing.T) {
			drv, err := m.make(nil)
			if err != nil {
				t.Skipf("%s does not work here: %v", m.name, err)
			}
			if err := drv.Close(); err != nil {
				t.Fatal(err)
			}
			goroutines := busyGoroutines()
			r := newRuntime(t, m.name, workers)
			test(t, r)
			if t.Failed() {
				return
			}
			waitFor(t, func() bool {
				s := r.Stats()
				left := s.Tasks()
				for _, w := range s.Workers {
					left += w.InFlight + w.Timers
				}
				return left == 0
			})
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return busyGoroutines() <= goroutines })
		})
	}
}

// busyGoroutines returns the number of goroutines but for those that the
// blocking pool keeps for later.
func busyGoroutines() int {
	blockers.mu.Lock()
	defer blockers.mu.Unlock()
	return runtime.NumGoroutine() - len(blockers.idle)
}

// newRuntime returns a runtime that the caller closes.
func newRuntime(t testing.TB, driver string, workers int) *Runtime {
	t.Helper()
	r, err := New(Config{Workers: workers, Driver: driver, HandOff: testHandOff})
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("%s does not work here: %v", driver, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	begin(r)
	return r
}

// begin returns when all workers of r run. Before, the goroutines that they still
// have to make would be taken for a leak by whoever counts.
func begin(r *Runtime) {
	for _, w := range r.workers {
		begun := make(chan struct{})
		w.exec(func() { close(begun) })
		<-begun
	}
}

// waitFor waits until cond holds, and fails the test if it never does.
func waitFor(t testing.TB, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("what was waited for did not come about\n%s", buf[:runtime.Stack(buf, true)])
		}
	}
}

// A plainTask calls a function in a task, in which waiting is in plain form.
type plainTask struct{ f func() }

func (p *plainTask) Poll(*Context) bool {
	p.f()
	return true
}

// plainly returns a future that calls f.
func plainly(f func()) Future { return &plainTask{f} }

// A sleeper is a frame, as cogen would generate it, of
//
//	rt.Sleep(d)
type sleeper struct {
	state int
	sleep SleepFuture
}

func newSleeper(d time.Duration) *sleeper {
	f := new(sleeper)
	f.sleep.Init(d)
	return f
}

func (f *sleeper) Poll(cx *Context) bool {
	if !f.sleep.Poll(cx) {
		f.state = 1
		return false
	}
	return true
}

// skipPortable skips what the portable driver does not promise: it starts goroutines
// for what has to wait.
func skipPortable(t *testing.T, r *Runtime) {
	t.Helper()
	if r.workers[0].drv.Name() == "portable" {
		t.Skip("the portable driver allocates")
	}
}
