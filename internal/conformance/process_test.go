package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func shell(script string) *process {
	return &process{env: os.Environ(), limit: time.Minute, args: []string{"/bin/sh", "-c", script}}
}

func TestProcess(t *testing.T) {
	o, err := shell("echo out; echo err >&2; exit 3").run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o.status() != "exit status 3" || string(o.Stdout.Text) != "out\n" || string(o.Stderr.Text) != "err\n" {
		t.Errorf("got %+v", o)
	}
	if o, err = shell("kill -9 $$").run(t.Context()); err != nil || o.status() != "signal: killed" || o.TimedOut {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err = (&process{limit: time.Minute, args: []string{"/no/such/program"}}).run(t.Context()); err == nil {
		t.Error("a program that is not there runs")
	}
}

// TestProcessOutput checks that only the beginning of a long output is kept, and
// that the rest matters all the same.
func TestProcessOutput(t *testing.T) {
	var sums []string
	for _, last := range []string{"x", "y"} {
		o, err := shell("head -c 3000000 /dev/zero; echo " + last).run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Stdout.Size != 3000002 || len(o.Stdout.Text) != maxText {
			t.Errorf("size %d with %d bytes kept", o.Stdout.Size, len(o.Stdout.Text))
		}
		sums = append(sums, o.Stdout.Sum)
	}
	if sums[0] == sums[1] {
		t.Error("outputs that differ at the end are the same")
	}
}

// TestProcessTimeOut checks that a process is killed after its time with the
// processes that it has started.
func TestProcessTimeOut(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := shell("sleep 1000 > " + fifo + " & cat > /dev/null < " + fifo)
	p.limit = 200 * time.Millisecond
	o, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !o.TimedOut || o.status() != "timed out" {
		t.Errorf("got %+v", o)
	}
	// The fifo has no writer once the grandchild is gone.
	for {
		fd, err := syscall.Open(fifo, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) {
			return
		}
		if err == nil {
			syscall.Close(fd)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProcessInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := shell("sleep 1000").run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, 3)
	for i, s := range []status{identical, differs, knownDiffer} {
		p.add(s, p.start.Add(time.Duration(i+1)*logPeriod/2))
	}
	p.end()
	want := "conformance: 2 of 3, 1 bad, 30s, about 15s to go\nconformance: 3 of 3, 1 bad, 45s\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
