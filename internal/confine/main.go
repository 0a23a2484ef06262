//go:build linux

// Confine runs a program with less than its caller may do: as an ordinary user, without
// io_uring, or with no memory that may be locked, which rings need.
//
//	confine -user 65534 -no-uring -no-memlock program arguments...
//
// The program runs in an empty folder of its own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func main() {
	var c confinement
	flag.IntVar(&c.user, "user", -1, "the number of the user; by default the caller")
	flag.BoolVar(&c.noUring, "no-uring", false, "forbid io_uring, as containers do")
	flag.BoolVar(&c.noMemlock, "no-memlock", false, "forbid to lock memory")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: confine [flags] program [arguments]")
		os.Exit(2)
	}
	code, err := c.run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "confine:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// confinement is what to take away.
type confinement struct {
	user               int
	noUring, noMemlock bool
}

// run runs a program in a child, since the folder has to be removed afterwards, and returns
// its exit code. The child is this program again, which confines itself.
func (c confinement) run(args []string) (code int, err error) {
	if program := os.Getenv(insideVariable); program != "" {
		return 1, c.exec(program, args)
	}
	dir, err := os.MkdirTemp("", "confined")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "work")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(work, 0o777), os.Chmod(work, 0o777)); err != nil {
		return 0, err
	}
	program, err := copyProgram(args[0], dir)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), insideVariable+"="+program, "TMPDIR="+work, "HOME="+work)
	cmd.Dir = work
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// copyProgram puts a copy of a program into a folder, where any user can reach it by its
// name, and returns that. The program may want to start itself again.
func copyProgram(name, dir string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	program := filepath.Join(dir, filepath.Base(path))
	out, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return program, errors.Join(err, out.Chmod(0o755), out.Close())
}

// insideVariable is set in the child, to the path of the program.
const insideVariable = "CONFINE_INSIDE"

// exec confines the process and becomes the program.
func (c confinement) exec(program string, args []string) error {
	if err := c.apply(); err != nil {
		return err
	}
	os.Unsetenv(insideVariable)
	args[0] = program
	return fmt.Errorf("start %s: %w", program, unix.Exec(program, args, os.Environ()))
}

// apply confines the process, for good.
func (c confinement) apply() error {
	if c.user >= 0 {
		if err := errors.Join(unix.Setgroups(nil), unix.Setresgid(c.user, c.user, c.user), unix.Setresuid(c.user, c.user, c.user)); err != nil {
			return fmt.Errorf("become user %d: %w", c.user, err)
		}
	}
	if c.noMemlock {
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{}); err != nil {
			return fmt.Errorf("forbid locked memory: %w", err)
		}
	}
	if c.noUring {
		if err := forbid(unix.EPERM, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER); err != nil {
			return fmt.Errorf("forbid io_uring: %w", err)
		}
	}
	return nil
}
