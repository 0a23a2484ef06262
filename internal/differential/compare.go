package differential

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	// fuel is how many steps a program takes.
	fuel = 800
	// programTimeout bounds the run of a program, which takes milliseconds unless the
	// machine has other things to do.
	programTimeout = 20 * time.Second
)

// A line is what the driver prints.
type line struct{ Begins, Ends, Trace string }

// compare runs the variant's programs in a mode, and compares their traces with
// those of the oracle, which is the mode plain.
func (b *batch) compare(v *variant, mode string, traces []string) error {
	byName := make(map[string]int)
	var names []string
	for _, i := range v.in {
		if b.differences[i] == nil {
			byName[b.programs[i].Name] = i
			names = append(names, b.programs[i].Name)
		}
	}
	shown := mode
	if v.name != "frames" {
		shown = v.name
	}
	for len(names) > 0 {
		lines, failure, err := b.drive(v, mode, names)
		if err != nil {
			return err
		}
		running := ""
		done := 0
		for _, l := range lines {
			if running = l.Begins; l.Ends == "" {
				continue
			}
			done++
			i := byName[l.Ends]
			if mode == "plain" {
				traces[i] = l.Trace
			} else if l.Trace != traces[i] {
				b.differs(i, Traces, shown, cmp.Diff(strings.Split(traces[i], "\n"), strings.Split(l.Trace, "\n")))
			}
		}
		if failure == "" && done == len(names) {
			return nil
		}
		if running == "" {
			return fmt.Errorf("the driver ended early: %s", failure)
		}
		kind := Stopped
		if mode == "plain" {
			kind = Oracle
		}
		b.differs(byName[running], kind, shown, failure)
		names = names[done+1:]
	}
	return nil
}

// drive runs the driver. failure says how it ended, if not well.
func (b *batch) drive(v *variant, mode string, names []string) (lines []line, failure string, err error) {
	cmd := exec.Command(v.binary, append([]string{mode}, names...)...)
	cmd.Env = append(os.Environ(), "GOTRACEBACK=all", "GOMAXPROCS=2")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		text := stderr.String()
		const limit = 20000
		failure = fmt.Sprintf("%v\n%s", err, text[:min(len(text), limit)])
	}
	in := bufio.NewScanner(&stdout)
	in.Buffer(nil, 8<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, failure, fmt.Errorf("the driver printed %q: %w", in.Text(), err)
		}
		lines = append(lines, l)
	}
	return lines, failure, in.Err()
}
