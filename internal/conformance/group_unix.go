//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// killWithGroup has cmd, when it is cancelled, killed with everything that it has
// started.
func killWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
