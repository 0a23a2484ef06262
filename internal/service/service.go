// Package service is what the example servers have in common around their async
// code: flags, a graceful stop, and counters for whoever measures them.
package service

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// Accept is the async form of a server's accept loop: a future that finishes
// when l is closed.
type Accept interface {
	rt.Future
	// Result returns nil if the loop ended because l was closed.
	Result() error
}

// Run runs a server until it gets SIGINT or SIGTERM, and returns the exit status
// of the process. On the signal it stops accepting, lets every connection
// finish what it is answering, and returns; connections that take longer than
// the grace period are closed. SIGUSR1 prints a [Report] on stdout, and so does
// the end.
func Run(name string, args []string, stdout, stderr io.Writer, accept func(*rt.Listener, *Conns) Accept) int {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "listen at `address`")
	grace := flags.Duration("grace", 5*time.Second, "time that connections get to end after a signal")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", name, flags.Arg(0))
		return 2
	}
	if err := serve(*addr, *grace, stdout, accept); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

func serve(addr string, grace time.Duration, stdout io.Writer, accept func(*rt.Listener, *Conns) Accept) error {
	l, err := rt.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer l.Close()
	// Before anybody can know the address, so that no signal is lost.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, append(reportSignals, os.Interrupt, syscall.SIGTERM)...)
	defer signal.Stop(signals)

	conns := NewConns()
	loop := accept(l, conns)
	var accepting sync.WaitGroup
	accepting.Go(func() { rt.Run(loop) })
	failed := make(chan struct{})
	go func() {
		accepting.Wait()
		close(failed)
	}()
	fmt.Fprintf(stdout, "listening on %s\n", l.Addr())

	for running := true; running; {
		select {
		case s := <-signals:
			if slices.Contains(reportSignals, s) {
				if err := conns.report(stdout); err != nil {
					return err
				}
				continue
			}
			running = false
		case <-failed:
			running = false
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	accepting.Wait()
	conns.stop(grace)
	if err := conns.report(stdout); err != nil {
		return err
	}
	return loop.Result()
}
