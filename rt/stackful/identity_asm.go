//go:build amd64 || arm64

package stackful

// identity returns the address of the running goroutine's g, which no other
// live goroutine shares.
func identity() uintptr
