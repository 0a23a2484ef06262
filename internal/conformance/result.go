package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A status is what came of a program.
type status string

const (
	identical   status = "identical"
	knownDiffer status = "known difference"
	differs     status = "differs"
	timedOut    status = "timed out"
	cogenFailed status = "cogen failed"
	buildFailed status = "build failed"
	plainFailed status = "plain form unusable"
	notRun      status = "not run"
)

// statuses are all of them, in the order in which they are reported.
var statuses = []status{identical, knownDiffer, differs, timedOut, cogenFailed, buildFailed, plainFailed, notRun}

// good reports whether a program with the status is as it should be.
func (s status) good() bool { return s == identical || s == knownDiffer }

// A result is one line of the results file.
type result struct {
	Program  program  `json:"program"`
	Status   status   `json:"status"`
	Reason   string   `json:"reason,omitempty"` // one line, for grouping
	Detail   string   `json:"detail,omitempty"`
	Plain    *ending  `json:"plain,omitempty"`
	Frames   *ending  `json:"frames,omitempty"`
	Coverage coverage `json:"coverage"`
	Warnings []string `json:"warnings,omitempty"` // why functions stayed plain
}

// An ending is the part of an outcome that the results file has.
type ending struct {
	Status       string `json:"status"`
	Stdout       int64  `json:"stdout_bytes"`
	Stderr       int64  `json:"stderr_bytes"`
	Milliseconds int64  `json:"ms"`
}

func endingOf(o *outcome) *ending {
	if o == nil {
		return nil
	}
	return &ending{o.status(), o.Stdout.Size, o.Stderr.Size, o.Elapsed.Milliseconds()}
}

// A recorder collects the results, writes them to the results file and shows how far
// the run has come. Its methods may be called by several workers at once.
type recorder struct {
	mu      sync.Mutex
	known   map[program]difference
	results []result
	file    *os.File // nil if there is none
	err     error    // the first one of writing
	show    *progress
}

func newRecorder(o *options, known map[program]difference, total int, stderr io.Writer) (*recorder, error) {
	r := &recorder{known: known, show: newProgress(stderr, total)}
	if o.results != "" {
		file, err := os.Create(o.results)
		if err != nil {
			return nil, err
		}
		r.file = file
	}
	return r, nil
}

// add records a result. A difference becomes a known one here, if it is listed; no
// other failure does.
func (r *recorder) add(res result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d, ok := r.known[res.Program]; ok && res.Status == differs {
		res.Status = knownDiffer
		res.Reason = d.kind + ": " + d.reason
	}
	r.results = append(r.results, res)
	r.show.add(res.Status, time.Now())
	if r.file == nil || r.err != nil {
		return
	}
	line, err := json.Marshal(res)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	r.err = err
}

// close ends the progress display and the results file.
func (r *recorder) close() error {
	r.show.end()
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return fmt.Errorf("writing the results: %w", r.err)
	}
	return nil
}

// ok reports whether all is as it should be.
func (r *recorder) ok() bool {
	for i := range r.results {
		if !r.results[i].Status.good() {
			return false
		}
	}
	return true
}

// has reports whether a result has the status.
func (r *recorder) has(s status) bool {
	for i := range r.results {
		if r.results[i].Status == s {
			return true
		}
	}
	return false
}
