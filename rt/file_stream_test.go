package rt

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// named makes a named pipe.
func namedPipe(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	return name
}

// TestNamedPipe opens, reads and writes named pipes in tasks. Each waits for the
// other end, and none holds up others, however many there are.
func TestNamedPipe(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		const pipes = 100 // more than threads for blocking calls
		names := make([]string, pipes)
		results := make(chan string, pipes)
		for i := range names {
			names[i] = namedPipe(t)
			r.Go(plainly(func() {
				f, err := Open(names[i])
				if err != nil {
					results <- err.Error()
					return
				}
				b, err := io.ReadAll(f)
				if err != nil {
					results <- err.Error()
				}
				f.Close()
				results <- string(b)
			}))
		}
		// They are all waiting now, or soon; files go on.
		inTask(func() {
			for range 20 {
				f := created(t, "file")
				f.Write([]byte("x"))
				f.Sync()
				f.Close()
			}
		})
		for i := range names {
			r.Go(plainly(func() {
				f, err := OpenFile(names[i], os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				for range 3 {
					f.Write([]byte(strconv.Itoa(i) + " "))
					Sleep(time.Millisecond)
				}
			}))
		}
		seen := map[string]bool{}
		for range names {
			seen[<-results] = true
		}
		for i := range names {
			s := strconv.Itoa(i) + " "
			if !seen[s+s+s] {
				t.Errorf("pipe %d: its bytes have not come; there are %v", i, seen)
				break
			}
		}
	})
}

// TestPipeClosed closes a stream while a read and a write wait for it.
func TestPipeClosed(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		for _, form := range fileForms {
			t.Run(form.name, func(t *testing.T) {
				name := namedPipe(t)
				// For both directions, opening does not wait.
				f, err := form.openFile(name, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				reading := make(chan error)
				go func() {
					_, err := f.Read(make([]byte, 10))
					reading <- err
				}()
				if n, err := f.ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, unix.ESPIPE) {
					t.Errorf("read at an offset: %d, %v", n, err)
				}
				time.Sleep(5 * time.Millisecond)
				if _, err := f.Seek(0, io.SeekStart); !errors.Is(err, unix.ESPIPE) {
					t.Errorf("seek in a pipe: %v", err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
				if err := <-reading; !errors.Is(err, fs.ErrClosed) {
					t.Errorf("read while closing: %v", err)
				}
			})
		}
	})
}
