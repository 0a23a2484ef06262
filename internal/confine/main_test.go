//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cogen-go/cogen/rt"
)

// cases are what is taken away, by name, and what the runtime is to say about it. The child
// of a test finds its case by the name.
var cases = map[string]struct {
	confinement
	driver string // "" if that depends on the machine
	reason string // why io_uring was passed over
}{
	"user":                {confinement{user: 65534}, "", ""},
	"no-uring":            {confinement{user: -1, noUring: true}, "epoll", "seccomp"},
	"user-and-no-uring":   {confinement{user: 65534, noUring: true}, "epoll", "seccomp"},
	"user-and-no-memlock": {confinement{user: 65533, noMemlock: true}, "", "ulimit -l"},
}

// childVariable names the case that a child plays.
const childVariable = "CONFINE_TEST_CASE"

func TestMain(m *testing.M) {
	if c, ok := cases[os.Getenv(childVariable)]; ok {
		if err := c.apply(); err != nil {
			fmt.Println("skip:", err)
			os.Exit(0)
		}
		if err := play(c.driver, c.reason); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ok")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play makes a runtime and has it serve a connection.
func play(driver, reason string) error {
	r, err := rt.New(rt.Config{Workers: 2})
	if err != nil {
		return err
	}
	f := r.Features()
	if driver != "" && f.Driver != driver {
		return fmt.Errorf("the driver is %s, want %s", f.Driver, driver)
	}
	var said []string
	for _, s := range f.PassedOver {
		if strings.HasPrefix(s, "uring: ") {
			said = append(said, s)
		}
	}
	if strings.Contains(f.Driver, "epoll") && (len(said) != 1 || !strings.Contains(said[0], reason)) {
		return fmt.Errorf("it says %q about a ring, want one message with %q", said, reason)
	}
	var failed error
	r.Run(task(func() { failed = echo() }))
	return errors.Join(failed, r.Close())
}

func echo() error {
	l, err := rt.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	rt.Go(task(func() {
		if c, err := l.AcceptConn(); err == nil {
			defer c.Close()
			for range 10 {
				if got, err := c.Borrow(); err == nil {
					c.Write(got.Bytes())
					got.Return()
				}
			}
		}
	}))
	c, err := rt.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	buf := make([]byte, 7)
	for range 10 {
		if _, err := c.Write([]byte("message")); err != nil {
			return err
		}
		if n, err := c.ReadFull(buf); err != nil || string(buf) != "message" {
			return fmt.Errorf("the echo is %q, %w", buf[:n], err)
		}
	}
	return nil
}

// A task calls a function, in plain code.
type task func()

func (f task) Poll(*rt.Context) bool { f(); return true }

// TestRuntime has the runtime do with less.
func TestRuntime(t *testing.T) {
	if os.Getenv("COGEN_DRIVER") != "" {
		t.Skip("a driver was asked for")
	}
	for name := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), childVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if strings.HasPrefix(string(out), "skip:") {
				t.Skipf("%s", out)
			}
			if err != nil || string(out) != "ok\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestRun runs a program with less.
func TestRun(t *testing.T) {
	if unix.Getuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	os.Unsetenv(insideVariable)
	exe := t.TempDir() + "/confine"
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(exe, "-user", "65534", "sh", "-c", "id -u; touch here && ls; exit 3").Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || string(out) != "65534\nhere\n" {
		t.Errorf("%q, %v", out, err)
	}
}
