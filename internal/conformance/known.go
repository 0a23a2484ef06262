package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed known.txt
var knownText string

// A difference is a program that is allowed to differ from its plain form.
type difference struct {
	program program
	kind    string // one of differenceKinds
	reason  string // what the program does that shows it
}

// differenceKinds are what a tool that rewrites source cannot preserve: the shape
// of the stack, the numbers of the lines, how much memory is used and when it is
// given back, and what can be read of callers. A program that differs for any other
// reason is a bug of cogen.
var differenceKinds = []string{"stack text", "line numbers", "memory statistics", "runtime.Callers"}

// maxKnown is how many of the programs may be on the list, in percent.
const maxKnown = 2

// parseKnown reads the list of known differences: a line for each program, its
// name, the kind and the reason with tabs between them. Empty lines and lines that
// begin with # are ignored.
func parseKnown(text string) (map[program]difference, error) {
	all := allPrograms()
	known := make(map[program]difference)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || fields[2] == "" {
			return nil, fmt.Errorf("known.txt:%d: want program, kind and reason with tabs between them", number)
		}
		d := difference{program(fields[0]), fields[1], fields[2]}
		switch {
		case !slices.Contains(differenceKinds, d.kind):
			return nil, fmt.Errorf("known.txt:%d: %q is no kind of difference that is allowed: %s",
				number, d.kind, strings.Join(differenceKinds, ", "))
		case !slices.Contains(all, d.program):
			return nil, fmt.Errorf("known.txt:%d: %s is not one of the programs", number, d.program)
		}
		if _, twice := known[d.program]; twice {
			return nil, fmt.Errorf("known.txt:%d: %s is listed twice", number, d.program)
		}
		known[d.program] = d
	}
	if len(known)*100 > len(all)*maxKnown {
		return nil, fmt.Errorf("known.txt lists %d of %d programs; at most %d%% may differ", len(known), len(all), maxKnown)
	}
	return known, nil
}
