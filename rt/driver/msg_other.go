//go:build !linux

package driver

// rawMsg is empty where drivers do not make the system calls themselves.
type rawMsg struct{}
