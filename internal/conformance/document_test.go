package main

import (
	"strings"
	"testing"
)

func TestDocument(t *testing.T) {
	results := []result{
		{Program: "z.go", Status: knownDiffer, Reason: "line numbers: prints | them"},
		{Program: "b.go", Status: differs, Reason: "standard output differs"},
		{Program: "a.go", Status: differs, Reason: "standard output differs"},
		{Program: "c.go", Status: timedOut, Reason: "the program does not end"},
		{Program: "d.go", Status: identical, Coverage: coverage{Functions: 12, Frames: 9}, Warnings: []string{"warning: too hard", "warning: too hard"}},
	}
	text := string(document(results, "go1.99"))
	for _, want := range []string{
		"Programs of go1.99:",
		"| 1 | identical |\n| 1 | known difference |\n| 2 | differs |\n| 1 | timed out |\n| **5** | run |\n",
		"9 of 12 functions",
		"| 2 | too hard | d.go |\n",
		"| z.go | line numbers: prints \\| them |\n",
		"| differs | standard output differs | a.go, b.go |\n| timed out | the program does not end | c.go |\n",
		"## Excluded",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document does not have %q:\n%s", want, text)
		}
	}
	if text := string(document(results[4:], "go1.99")); strings.Contains(text, "## Bugs") || !strings.Contains(text, "bug.\n\nNone.") {
		t.Errorf("the document of a good run:\n%s", text)
	}
}

func TestSummary(t *testing.T) {
	results := []result{{Program: "x.go", Status: identical, Coverage: coverage{Functions: 3, Frames: 2}, Warnings: []string{"warning: too hard"}}}
	for _, p := range []program{"e.go", "d.go", "c.go", "b.go", "a.go"} {
		results = append(results, result{Program: p, Status: buildFailed, Reason: "undefined: x"})
	}
	results = append(results, result{Program: "y.go", Status: buildFailed, Reason: "syntax error"})
	var b strings.Builder
	writeSummary(&b, results)
	want := `7 programs
     1 identical
     6 build failed
2 of 3 functions and function literals ran as state machines

functions that stayed plain:
     1 warning: too hard
       x.go

build failed:
     5 undefined: x
       a.go, b.go, c.go, d.go and 1 more
     1 syntax error
       y.go
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
