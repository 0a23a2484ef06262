package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cogen-go/cogen/internal/load"
)

// A measurement is a row of the table.
type measurement struct {
	load      load.Result
	syscalls  float64 // made by the server's drivers, per request
	idleBytes int64   // resident memory per idle connection
}

// measure starts a server, measures it and stops it.
func measure(ctx context.Context, program, name, driver string, o options, progress io.Writer) (m measurement, err error) {
	s, err := load.Start(program, "COGEN_DRIVER="+driver)
	if err != nil {
		return m, err
	}
	defer s.Kill()

	// Memory first: a server that was under load has memory to spare, and idle
	// connections would seem to cost nothing. A few connections before it, so
	// that what the server needs only once is not counted.
	if _, err := idleMemory(ctx, s, name, 100); err != nil {
		return m, err
	}
	if m.idleBytes, err = idleMemory(ctx, s, name, o.idle); err != nil {
		return m, err
	}
	fmt.Fprintf(progress, "%d idle connections; ", o.idle)

	before, err := s.Report()
	if err != nil {
		return m, err
	}
	shown := func(requests int64) { fmt.Fprintf(progress, "%d ", requests) }
	fmt.Fprintf(progress, "requests on %d connections: ", o.connections)
	switch name {
	case "echo":
		m.load, err = load.Echo(ctx, s.Addr, o.connections, 64, o.duration, shown)
	case "httpd":
		m.load, err = load.HTTP(ctx, s.Addr, o.connections, "/plaintext", "Hello, World!", o.duration, shown)
	}
	fmt.Fprintln(progress)
	if err != nil {
		return m, err
	}
	after, err := s.Stop()
	if err != nil {
		return m, err
	}
	m.syscalls = float64(after.Syscalls-before.Syscalls) / float64(max(m.load.Requests, 1))
	return m, nil
}

// idleMemory opens n connections, uses each once, and returns by how much each
// of them made the server grow.
func idleMemory(ctx context.Context, s *load.Server, name string, n int) (int64, error) {
	before, err := s.Resident()
	if err != nil {
		return 0, err
	}
	conns, err := load.Dial(ctx, s.Addr, n)
	defer load.CloseAll(conns)
	if err != nil {
		return 0, err
	}
	switch name {
	case "echo":
		err = load.EchoAll(conns, 1, 64)
	case "httpd":
		err = load.HTTPAll(conns, "/plaintext", "Hello, World!")
	}
	if err != nil {
		return 0, err
	}
	time.Sleep(200 * time.Millisecond) // the server's last polls
	after, err := s.Resident()
	if err != nil {
		return 0, err
	}
	return (after - before) / int64(n), nil
}
