package rt

import "syscall"

// threadID returns the number of the calling thread.
func threadID() (id int, ok bool) { return syscall.Gettid(), true }
