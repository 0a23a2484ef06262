// Command httpd is a small HTTP/1.1 server for a few static pages, with its own
// parser. All of it is sequential code: a connection reads a line, then the next,
// and writes an answer; cogen makes frames of it.
//
// Usage:
//
//	httpd [-addr host:port] [-grace duration]
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
	os.Exit(service.Run("httpd", os.Args[1:], os.Stdout, os.Stderr, func(l *rt.Listener, conns *service.Conns) service.Accept {
		return acceptAllAsync(l, conns)
	}))
}
