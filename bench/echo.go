package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/cogen-go/cogen/internal/load"
)

// A contender is an echo server.
type contender struct {
	name, program, env string
	// runs has what was measured, by number of connections.
	runs map[int][]echoRun
	// idle is the resident memory per idle connection.
	idle int64
}

type echoRun struct {
	rate float64       // requests per second
	cpu  time.Duration // of the server, per request
}

const (
	repetitions     = 5
	messageSize     = 64
	idleConnections = 10_000
)

var connectionCounts = []int{64, 1000}

// measureEcho measures the echo servers in turns, so that whatever else the
// machine does hits all of them.
func measureEcho(ctx context.Context, folder string, progress io.Writer) ([]*contender, error) {
	for _, pkg := range []string{"github.com/cogen-go/cogen/examples/echo", "github.com/cogen-go/cogen/bench/netecho"} {
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", folder+string(filepath.Separator), pkg).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	echo, netecho := filepath.Join(folder, "echo"), filepath.Join(folder, "netecho")
	contenders := []*contender{
		{name: "cogen, io_uring", program: echo, env: "COGEN_DRIVER=uring"},
		{name: "cogen, epoll", program: echo, env: "COGEN_DRIVER=epoll"},
		{name: "Go net", program: netecho},
	}
	for _, c := range contenders {
		c.runs = make(map[int][]echoRun)
		if err := c.measureIdle(ctx); err != nil {
			return nil, err
		}
	}
	for _, n := range connectionCounts {
		for i := range repetitions {
			fmt.Fprintf(progress, "echo, %d connections, %d of %d\n", n, i+1, repetitions)
			for _, c := range contenders {
				if err := c.measureLoad(ctx, n); err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
			}
		}
	}
	return contenders, nil
}

func (c *contender) measureLoad(ctx context.Context, n int) error {
	s, err := load.Start(c.program, c.env)
	if err != nil {
		return err
	}
	defer s.Kill()
	if _, err := load.Echo(ctx, s.Addr, n, messageSize, 300*time.Millisecond, nil); err != nil {
		return err
	}
	before, err := s.CPU()
	if err != nil {
		return err
	}
	r, err := load.Echo(ctx, s.Addr, n, messageSize, 1500*time.Millisecond, nil)
	if err != nil {
		return err
	}
	if r.Errors > 0 {
		return fmt.Errorf("%d connections failed: %w", r.Errors, r.Err)
	}
	after, err := s.CPU()
	if err != nil {
		return err
	}
	c.runs[n] = append(c.runs[n], echoRun{r.Rate(), (after - before) / time.Duration(r.Requests)})
	_, err = s.Stop()
	return err
}

func (c *contender) measureIdle(ctx context.Context) error {
	s, err := load.Start(c.program, c.env)
	if err != nil {
		return err
	}
	defer s.Kill()
	grow := func(n int) (int64, error) {
		before, err := s.Resident()
		if err != nil {
			return 0, err
		}
		conns, err := load.Dial(ctx, s.Addr, n)
		defer load.CloseAll(conns)
		if err != nil {
			return 0, err
		}
		if err := load.EchoAll(conns, 1, messageSize); err != nil {
			return 0, err
		}
		after, err := s.Resident()
		return (after - before) / int64(n), err
	}
	if _, err := grow(100); err != nil {
		return err
	}
	c.idle, err = grow(idleConnections)
	return err
}

// median returns the median of what f picks from the runs with n connections.
func (c *contender) median(n int, f func(echoRun) float64) float64 {
	var values []float64
	for _, r := range c.runs[n] {
		values = append(values, f(r))
	}
	return median(values)
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
