//go:build linux

package uring

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Tests that take something away from the whole process run in a child of their own.

// inChild runs f in a child process: the test binary, with this test only.
func inChild(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("URING_TEST_CHILD") == t.Name() {
		f(t)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	// Each level of the name is matched by itself.
	run := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.Command(exe, "-test.run="+run, "-test.v", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), "URING_TEST_CHILD="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	if !strings.Contains(string(out), "--- PASS") {
		t.Fatalf("it has not run:\n%s", out)
	}
}

// forbid makes the system calls with the given numbers fail with errno, for this
// process and for good.
func forbid(t *testing.T, errno unix.Errno, calls ...uintptr) {
	t.Helper()
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	// The number is at the start of struct seccomp_data.
	prog := []unix.SockFilter{{Code: load, K: 0}}
	for _, c := range calls {
		prog = append(prog,
			unix.SockFilter{Code: equal, Jf: 1, K: uint32(c)},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	prog = append(prog, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	// The kernel copies the program during the call; KeepAlive covers what fprog
	// points to.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(prog)
	if e != 0 {
		t.Skip("seccomp: ", e)
	}
}

// TestSeccomp refuses io_uring in the ways that containers do, and in part.
func TestSeccomp(t *testing.T) {
	for _, c := range []struct {
		name  string
		errno unix.Errno
		is    error
		calls []uintptr
	}{
		{"all/EPERM", unix.EPERM, fs.ErrPermission, []uintptr{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}},
		{"all/ENOSYS", unix.ENOSYS, errors.ErrUnsupported, []uintptr{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}},
		{"setup/EACCES", unix.EACCES, fs.ErrPermission, []uintptr{unix.SYS_IO_URING_SETUP}},
		{"enter/EPERM", unix.EPERM, fs.ErrPermission, []uintptr{unix.SYS_IO_URING_ENTER}},
		{"register/EPERM", unix.EPERM, fs.ErrPermission, []uintptr{unix.SYS_IO_URING_REGISTER}},
	} {
		t.Run(strings.ReplaceAll(c.name, "/", "_"), func(t *testing.T) {
			inChild(t, func(t *testing.T) {
				before := descriptors(t)
				forbid(t, c.errno, c.calls...)
				if _, err := New(Config{}); !errors.Is(err, c.is) || !errors.Is(err, c.errno) || !strings.Contains(err.Error(), "seccomp") {
					t.Errorf("New: %v", err)
				}
				if _, err := NewDriver(Config{}); !errors.Is(err, c.is) {
					t.Errorf("NewDriver: %v", err)
				}
				if f := Probe(); !errors.Is(f.Err, c.is) || f.Has(FeatureBufRing) {
					t.Errorf("%v", f)
				}
				if after := descriptors(t); after > before {
					t.Errorf("%d descriptors before, %d after", before, after)
				}
			})
		})
	}
}

// descriptors counts the open descriptors of the process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(list)
}

// TestMemlock makes rings as an ordinary user until there is no memory left that may be
// locked.
func TestMemlock(t *testing.T) {
	inChild(t, func(t *testing.T) {
		lock(t)
		if unix.Getuid() == 0 {
			// The number of no user, who has no other rings then.
			if err := unix.Setresuid(54321, 54321, 54321); err != nil {
				t.Skip(err)
			}
		}
		limit := unix.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
			t.Skip(err)
		}
		var rings []*Ring
		smallest := uint32(DefaultSQEntries)
		for {
			r, err := New(Config{})
			if err != nil {
				if !errors.Is(err, unix.ENOMEM) || !strings.Contains(err.Error(), "ulimit -l") {
					t.Fatalf("ring %d: %v", len(rings), err)
				}
				break
			}
			if rings = append(rings, r); len(rings) > 1000 {
				t.Skip("the limit is not enforced")
			}
			smallest = min(smallest, r.Info().SQEntries)
			nops(t, r, 100, 5)
		}
		if len(rings) < 2 || smallest >= DefaultSQEntries {
			t.Errorf("%d rings, the smallest of %d entries", len(rings), smallest)
		}
		t.Logf("%d rings, the smallest of %d entries", len(rings), smallest)
		if _, err := rings[0].NewBufRing(BufRingConfig{Size: 16, Buffers: 1 << 14}); err != nil && !errors.Is(err, unix.ENOMEM) {
			t.Errorf("a large buffer ring: %v", err)
		}
		if err := rings[0].RegisterBuffers(1); err == nil {
			if err := rings[0].UpdateBuffers(0, make([]byte, 1<<20)); !errors.Is(err, unix.ENOMEM) {
				t.Errorf("a registered buffer: %v", err)
			}
		}
		for _, r := range rings {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		// The kernel gives the memory back a little later.
		for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			r, err := New(Config{})
			if err == nil {
				nops(t, r, 100, 5)
				r.Close()
				return
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
	})
}

// TestNoDescriptors has no descriptor left for a ring.
func TestNoDescriptors(t *testing.T) {
	inChild(t, func(t *testing.T) {
		withoutDescriptors(t, func() {
			if _, err := New(Config{}); !errors.Is(err, unix.EMFILE) {
				t.Errorf("%v", err)
			}
			if f := Probe(); !errors.Is(f.Err, unix.EMFILE) {
				t.Errorf("%v", f)
			}
		})
		// It was not remembered.
		if f := Probe(); errors.Is(f.Err, unix.EMFILE) {
			t.Errorf("%v", f)
		}
	})
}
