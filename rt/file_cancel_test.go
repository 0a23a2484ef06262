package rt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// busyPool has all goroutines of r's pool wait until the function that it returns is called.
func busyPool(r *Runtime) (free func()) {
	gate := make(chan struct{})
	for range blocking.DefaultLimit {
		began := make(chan struct{})
		f := byCalling("wait", "gate", func() error { close(began); <-gate; return nil })
		r.Go(f)
		<-began
	}
	return func() { close(gate) }
}

// TestFileCancelled gives up operations on files: before they begin, and while they wait for
// their turn.
func TestFileCancelled(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		dir := t.TempDir()
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, []byte("data"), 0o600); err != nil {
			t.Fatal(err)
		}
		file := must(OpenFile(name, os.O_RDWR, 0))(t)
		defer file.Close()
		buf := []byte("....")
		made := filepath.Join(dir, "made")
		operations := []struct {
			name string
			run  func(d time.Duration) error
		}{
			{"read at", func(d time.Duration) error {
				_, err := Run(WithTimeoutAsync(d, file.ReadAtAsync(buf, 0))).Result().Result()
				return err
			}},
			{"write at", func(d time.Duration) error {
				_, err := Run(WithTimeoutAsync(d, file.WriteAtAsync([]byte("gone"), 0))).Result().Result()
				return err
			}},
			{"sync", func(d time.Duration) error {
				return Run(WithTimeoutAsync(d, file.SyncAsync())).Result().Result()
			}},
			{"stat", func(d time.Duration) error {
				_, err := Run(WithTimeoutAsync(d, file.StatAsync())).Result().Result()
				return err
			}},
			{"open", func(d time.Duration) error {
				_, err := Run(WithTimeoutAsync(d, OpenFileAsync(made, os.O_RDWR|os.O_CREATE, 0o600))).Result().Result()
				return err
			}},
			{"read directory", func(d time.Duration) error {
				_, err := Run(WithTimeoutAsync(d, ReadDirAsync(dir))).Result().Result()
				return err
			}},
			{"make directories", func(d time.Duration) error {
				return Run(WithTimeoutAsync(d, MkdirAllAsync(filepath.Join(made, "a/b"), 0o700))).Result().Result()
			}},
			{"in plain form", func(d time.Duration) error {
				var err error
				Run(WithTimeoutAsync(d, plainly(func() { err = MkdirAll(made, 0o700) })))
				return err
			}},
		}
		for _, o := range operations {
			if err := o.run(0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, before it begins: %v", o.name, err)
			}
		}
		free := busyPool(r)
		for _, o := range operations[5:] { // those that go to the pool on every driver
			if err := o.run(time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, in the queue: %v", o.name, err)
			}
		}
		free()
		if string(buf) != "...." {
			t.Errorf("a read that did not begin has read %q", buf)
		}
		if b, err := os.ReadFile(name); string(b) != "data" {
			t.Errorf("the file is %q, %v", b, err)
		}
		if _, err := os.Lstat(made); !os.IsNotExist(err) {
			t.Errorf("what was not to be made: %v", err)
		}
		// What ends code that is cancelled is carried out.
		Run(WithTimeoutAsync(0, plainly(func() {
			if err := Remove(name); err != nil {
				t.Errorf("remove in code that is cancelled: %v", err)
			}
		})))
	})
}

// TestFileCancelledLate gives up an operation that has begun: it is waited for.
func TestFileCancelledLate(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		began, gate, ended := make(chan struct{}), make(chan struct{}), make(chan error)
		wait := func() error { close(began); <-gate; return nil }
		f := byCalling("wait", "gate", wait)
		// On a busy machine the time is over before it has begun.
		for limit, begun := time.Millisecond, false; !begun; limit *= 2 {
			f = byCalling("wait", "gate", wait)
			go func() {
				_ = Run(WithTimeoutAsync(limit, f))
				ended <- f.Result()
			}()
			select {
			case <-began:
				begun = true
			case <-ended:
			}
		}
		select {
		case err := <-ended:
			t.Errorf("it was not waited for: %v", err)
		case <-time.After(30 * time.Millisecond):
		}
		close(gate)
		if err := <-ended; err != nil || f.Canceled() {
			t.Errorf("what was carried out has the error %v", err)
		}
	})
}
