//go:build !unix

package service

import "os"

// reportSignals would make a server print what it has done so far.
var reportSignals []os.Signal
