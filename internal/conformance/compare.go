package main

import (
	"fmt"
	"regexp"
	"strings"
)

// compare compares a program's frames with its plain form. A reason is the same for
// programs that differ in the same way; details are for who looks into it.
func compare(want, got *outcome) (same bool, f failure) {
	switch {
	case want.Exit != got.Exit || want.Signal != got.Signal:
		return false, failure{
			reason: exitReason(want, got),
			detail: "want " + want.status() + ", got " + got.status() + "\n" + excerpt(got.Stderr.Text),
		}
	case !want.Stdout.same(&got.Stdout):
		return false, failure{"standard output differs", firstDifference(want.Stdout.Text, got.Stdout.Text)}
	case want.Stderr.same(&got.Stderr):
		return true, failure{}
	}
	detail := firstDifference(want.Stderr.Text, got.Stderr.Text)
	if crash, ok := crashMessage(want.Stderr.Text); ok {
		if other, ok := crashMessage(got.Stderr.Text); ok && crash == other {
			return false, failure{"stack text differs", detail}
		}
	}
	return false, failure{"standard error differs", detail}
}

// exitReason says in which way a program ends differently.
func exitReason(want, got *outcome) string {
	if message, ok := crashMessage(got.Stderr.Text); ok && got.Exit != 0 {
		return general(message)
	}
	return fmt.Sprintf("%s instead of %s", got.status(), want.status())
}

// crashLine begins what the Go runtime prints when a program crashes.
var crashLine = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIG[A-Z]+: |unexpected fault).*`)

// crashMessage returns the first line of the report of a crash.
func crashMessage(stderr []byte) (string, bool) {
	line := crashLine.Find(stderr)
	return string(line), line != nil
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(want, got []byte) string {
	w, g := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")
	for i := range max(len(w), len(g)) {
		wl, gl := "", ""
		if i < len(w) {
			wl = w[i]
		}
		if i < len(g) {
			gl = g[i]
		}
		if wl != gl {
			return fmt.Sprintf("line %d: want %s, got %s", i+1, quoteLine(wl), quoteLine(gl))
		}
	}
	return "after the first part, which is all that is kept"
}

// quoteLine quotes a line of a text; it is empty if the text has no such line.
func quoteLine(line string) string {
	if line == "" {
		return "the end"
	}
	return fmt.Sprintf("%q", shorten(line, 300))
}

// excerpt returns the beginning of a text.
func excerpt(text []byte) string {
	const lines = 30
	parts := strings.SplitAfterN(string(text), "\n", lines+1)
	return strings.Join(parts[:min(lines, len(parts))], "")
}
