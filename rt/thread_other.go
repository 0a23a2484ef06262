//go:build !linux

package rt

// threadID is not known on this system.
func threadID() (id int, ok bool) { return 0, false }
