package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os/exec"
	"syscall"
	"time"
)

// An outcome is how a process ended and what it wrote.
type outcome struct {
	Exit     int // -1 if a signal ended it
	Signal   string
	TimedOut bool
	Stdout   output
	Stderr   output
	Elapsed  time.Duration
}

// An output is what was written to a stream. It keeps the beginning, and knows the
// rest by its sum, so that a program that writes without end fills no memory.
type output struct {
	Text []byte // the first maxText bytes
	Size int64
	Sum  string // of all
}

const maxText = 1 << 20

// same reports whether two streams had the same bytes.
func (o *output) same(p *output) bool { return o.Size == p.Size && o.Sum == p.Sum }

// status says how a process ended, in words.
func (o *outcome) status() string {
	switch {
	case o.TimedOut:
		return "timed out"
	case o.Signal != "":
		return "signal: " + o.Signal
	}
	return fmt.Sprintf("exit status %d", o.Exit)
}

// A collector makes an output of what is written to it.
type collector struct {
	output
	hash hash.Hash
}

func newCollector() *collector { return &collector{hash: sha256.New()} }

func (c *collector) Write(b []byte) (int, error) {
	c.Size += int64(len(b))
	c.hash.Write(b)
	c.Text = append(c.Text, b[:min(len(b), maxText-len(c.Text))]...)
	return len(b), nil
}

func (c *collector) finish() output {
	c.Sum = fmt.Sprintf("%x", c.hash.Sum(nil))
	return c.output
}

// A process is a command to be run to its end.
type process struct {
	dir   string
	env   []string
	limit time.Duration
	args  []string
}

// run runs the process. When the limit has passed, or ctx is cancelled, the process
// is killed with everything that it has started. The error is for a process that
// could not be run or was not waited for to the end.
func (p *process) run(ctx context.Context) (*outcome, error) {
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, p.args[0], p.args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = p.env
	killWithGroup(cmd)
	// A grandchild that has left the group may keep the streams open.
	cmd.WaitDelay = 5 * time.Second
	stdout, stderr := newCollector(), newCollector()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	start := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	exit, isExit := errors.AsType[*exec.ExitError](err)
	if err != nil && !isExit && limited.Err() == nil {
		return nil, err
	}
	o := &outcome{
		TimedOut: limited.Err() != nil && err != nil,
		Stdout:   stdout.finish(),
		Stderr:   stderr.finish(),
		Elapsed:  time.Since(start),
	}
	if isExit {
		o.Exit = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			o.Signal = ws.Signal().String()
		}
	}
	return o, nil
}
