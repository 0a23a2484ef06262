// Command bench measures cogen side by side with what Go has, prints tables and
// writes them to RESULTS.md. Run it in its folder, or as `make bench`.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"
)

const resultsFile = "RESULTS.md"

func main() {
	testing.Init()
	crowd := flag.String("crowd", "", "start a crowd of that kind and print the memory of each member (for the program's own use)")
	flag.Parse()
	if *crowd != "" {
		if err := printCrowd(*crowd); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		// The crowd waits for ever; leave it there.
		os.Exit(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stdout, progress io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Results\n\nWritten by `make bench`. %s.\n", machine())
	if err := microTable(ctx, &out, progress); err != nil {
		return err
	}
	if err := memoryTable(&out, progress); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cogen-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	contenders, err := measureEcho(ctx, folder, progress)
	if err != nil {
		return err
	}
	echoTable(&out, contenders)
	if _, err := stdout.Write(out.Bytes()); err != nil {
		return err
	}
	return os.WriteFile(resultsFile, out.Bytes(), 0o644)
}

func microTable(ctx context.Context, out, progress io.Writer) error {
	times := make([][]float64, len(micros))
	allocs := make([]int64, len(micros))
	for i := range repetitions {
		fmt.Fprintf(progress, "operations, %d of %d\n", i+1, repetitions)
		for j, m := range micros {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := testing.Benchmark(m.run)
			if r.N == 0 {
				return fmt.Errorf("the benchmark %s, %s failed", m.group, m.name)
			}
			times[j] = append(times[j], float64(r.T.Nanoseconds())/float64(r.N))
			allocs[j] = r.AllocsPerOp()
		}
	}
	fmt.Fprintf(out, "\n## Operations\n\nMedians of %d runs in turns.\n\n", repetitions)
	fmt.Fprintf(out, "| what | how | ns | allocations | against cogen |\n| --- | --- | ---: | ---: | ---: |\n")
	var own float64
	for j, m := range micros {
		t := median(times[j])
		if j == 0 || m.group != micros[j-1].group {
			own = t
		}
		fmt.Fprintf(out, "| %s | %s | %.1f | %d | %.1f × |\n", m.group, m.name, t, allocs[j], t/own)
	}
	return nil
}

func memoryTable(out, progress io.Writer) error {
	fmt.Fprintf(out, "\n## Memory of something that waits\n\nResident bytes each, of %d.\n\n", population)
	fmt.Fprintf(out, "| what | bytes |\n| --- | ---: |\n")
	for _, crowd := range []string{"task", "goroutine"} {
		fmt.Fprintf(progress, "memory of %d: %s\n", population, crowd)
		bytes, err := memoryOf(crowd)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %d |\n", crowd, bytes)
	}
	return nil
}

func echoTable(out io.Writer, contenders []*contender) {
	fmt.Fprintf(out, "\n## Echo over loopback\n\n%d-byte messages; server and client are two processes on the same machine. Medians of %d runs in turns; processor time is the server's.\n\n", messageSize, repetitions)
	fmt.Fprintf(out, "| server | connections | requests/s | µs of CPU per request | CPU against Go net |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, n := range connectionCounts {
		cpu := func(c *contender) float64 {
			return c.median(n, func(r echoRun) float64 { return float64(r.cpu.Nanoseconds()) / 1000 })
		}
		base := cpu(contenders[len(contenders)-1])
		for _, c := range contenders {
			rate := c.median(n, func(r echoRun) float64 { return r.rate })
			fmt.Fprintf(out, "| %s | %d | %.0f | %.2f | %.2f × |\n", c.name, n, rate, cpu(c), cpu(c)/base)
		}
	}
	fmt.Fprintf(out, "\nResident memory of the server, per connection of %d that are idle after one message:\n\n| server | bytes |\n| --- | ---: |\n", idleConnections)
	for _, c := range contenders {
		fmt.Fprintf(out, "| %s | %d |\n", c.name, c.idle)
	}
}

// machine says where and when the measuring was done.
func machine() string {
	cpu := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%s, Linux %s, %s, %d processors, %s", runtime.Version(),
		strings.TrimSpace(string(kernel)), cpu, runtime.GOMAXPROCS(0), time.Now().UTC().Format(time.DateOnly))
}
