//go:build !linux

package load

import "syscall"

// dieWithParent is not known to this system.
func dieWithParent() *syscall.SysProcAttr { return nil }
