//go:build unix

package service

import (
	"os"
	"syscall"
)

// reportSignals make a server print what it has done so far.
var reportSignals = []os.Signal{syscall.SIGUSR1}
