//go:build !unix

package main

// descriptors is how many this process may use; the system does not say.
func descriptors() int { return 1024 }
