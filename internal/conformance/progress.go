package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A progress shows how far the run has come: on a terminal in one line that is
// rewritten, elsewhere as a line every now and then.
type progress struct {
	w        io.Writer
	terminal bool
	total    int
	done     int
	bad      int
	start    time.Time
	shown    time.Time
}

const (
	terminalPeriod = 200 * time.Millisecond
	logPeriod      = 30 * time.Second
)

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, start: time.Now()}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			p.terminal = info.Mode()&os.ModeCharDevice != 0
		}
	}
	p.shown = p.start
	return p
}

// add counts a program.
func (p *progress) add(s status, now time.Time) {
	p.done++
	if !s.good() {
		p.bad++
	}
	period := logPeriod
	if p.terminal {
		period = terminalPeriod
	}
	if now.Sub(p.shown) < period && p.done < p.total {
		return
	}
	p.shown = now
	elapsed := now.Sub(p.start)
	line := fmt.Sprintf("conformance: %d of %d, %d bad, %s", p.done, p.total, p.bad, elapsed.Round(time.Second))
	if left := elapsed / time.Duration(p.done) * time.Duration(p.total-p.done); left > 0 {
		line += fmt.Sprintf(", about %s to go", left.Round(time.Second))
	}
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(p.w, line)
	}
}

// end leaves the line.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprintln(p.w)
	}
}
