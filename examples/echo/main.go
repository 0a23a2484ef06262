// Command echo is a TCP server that sends back what it receives. Each connection
// is served by sequential code that waits for nothing but its own frame: a few
// hundred bytes instead of a goroutine.
//
// Usage:
//
//	echo [-addr host:port] [-grace duration]
//
// COGEN_DRIVER=uring or epoll chooses what it waits on.
package main

import (
	"os"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

//go:generate go tool cogen

func main() {
	os.Exit(service.Run("echo", os.Args[1:], os.Stdout, os.Stderr, func(l *rt.Listener, conns *service.Conns) service.Accept {
		return acceptAllAsync(l, conns)
	}))
}
