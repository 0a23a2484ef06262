// Command demo drives the example servers with a real load, on both drivers, and
// prints what it measured. `make demo` builds the servers and runs it.
//
// Usage:
//
//	demo [-seconds n] [-connections n] [-idle n] folder
//
// The folder holds the programs echo and httpd.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options say how much to do.
type options struct {
	duration    time.Duration
	connections int
	idle        int
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	seconds := flags.Float64("seconds", 2, "time under load for each server and driver")
	connections := flags.Int("connections", 64, "connections under load")
	idle := flags.Int("idle", 5000, "connections that are opened to see what an idle one costs")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		fmt.Fprintln(stderr, "usage: demo [flags] folder")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{
		duration:    time.Duration(*seconds * float64(time.Second)),
		connections: *connections,
		idle:        min(*idle, descriptors()-100),
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\tdriver\trequests\terrors\trequests/s\tsystem calls/request\tbytes/idle connection\t")
	status := 0
	for _, name := range []string{"echo", "httpd"} {
		for _, driver := range []string{"uring", "epoll"} {
			fmt.Fprintf(stderr, "%s on %s: ", name, driver)
			m, err := measure(ctx, filepath.Join(flags.Arg(0), name), name, driver, o, stderr)
			if err != nil {
				fmt.Fprintf(stderr, "%v\n", err)
				if ctx.Err() != nil {
					return 1
				}
				status = 1
				continue
			}
			if m.load.Errors > 0 {
				fmt.Fprintf(stderr, "%d connections failed, one because: %v\n", m.load.Errors, m.load.Err)
				status = 1
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%.0f\t%.3f\t%d\t\n", name, driver,
				m.load.Requests, m.load.Errors, m.load.Rate(), m.syscalls, m.idleBytes)
		}
	}
	table.Flush()
	return status
}
