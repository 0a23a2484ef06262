package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const documentHead = `# Conformance

<!-- Written by "make conformance"; do not edit. -->

` + "`make conformance`" + ` takes the test programs of the Go distribution, ` + "`$(go env GOROOT)/test`" + `, makes state machines of *all* of their
functions, with a forced suspension at every statement and every await point (` + "`cogen -all -stress`" + `), and compares what they do
with what they do as plain Go: standard output, standard error and exit status must be the same, byte for byte.

Most programs suspend at every point each time they come by. In those that come by more than 262,144 times, the distance between
suspensions grows from there on (see ` + "`rt/stress.go`" + `); else a recursion of 100,000 levels would take days.

`

// document returns docs/conformance.md. It has nothing that differs from run to run,
// such as times, unless the outcome does.
func document(results []result, goVersion string) []byte {
	var b bytes.Buffer
	b.WriteString(documentHead)
	fmt.Fprintf(&b, "Programs of %s:\n\n| programs | |\n| ---: | --- |\n", goVersion)
	for _, s := range statuses {
		n := count(results, s)
		if n > 0 || s == identical || s == differs {
			fmt.Fprintf(&b, "| %d | %s |\n", n, s)
		}
	}
	fmt.Fprintf(&b, "| **%d** | run |\n| %d | excluded |\n", len(results), len(exclusions()))
	c := total(results)
	fmt.Fprintf(&b, `
In the programs that are identical or known differences, %d of %d functions and function literals ran as state
machines. The others ran as plain Go: functions without a name or with a directive that their frames could not keep, literals
that call `+"`recover`"+` or stand at package level, and functions that cogen leaves plain with a warning:

`, c.Frames, c.Functions)
	writeWarnings(&b, results)
	writeKnown(&b, results)
	writeFailures(&b, results)
	writeExclusions(&b)
	return b.Bytes()
}

// writeWarnings lists the warnings about functions that stayed plain.
func writeWarnings(b *bytes.Buffer, results []result) {
	plain := warnings(results)
	if len(plain) == 0 {
		b.WriteString("None.\n")
		return
	}
	b.WriteString("| functions | warning | programs |\n| ---: | --- | --- |\n")
	for _, g := range plain {
		fmt.Fprintf(b, "| %d | %s | %s |\n", len(g.programs), cell(strings.TrimPrefix(g.reason, "warning: ")), nameAll(g.programs))
	}
}

// nameAll names the programs of a list.
func nameAll(programs []program) string {
	var names []string
	for _, p := range slices.Compact(slices.Clone(programs)) {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// writeKnown lists the known differences.
func writeKnown(b *bytes.Buffer, results []result) {
	fmt.Fprintf(b, `
## Known differences

A program may be listed in `+"`internal/conformance/known.txt`"+` only if it shows what a tool that rewrites source cannot
preserve (%s). Everything else is a bug.

`, strings.Join(differenceKinds, ", "))
	var known []result
	for _, res := range results {
		if res.Status == knownDiffer {
			known = append(known, res)
		}
	}
	if len(known) == 0 {
		b.WriteString("None.\n")
		return
	}
	slices.SortFunc(known, func(x, y result) int { return cmp.Compare(x.Program, y.Program) })
	b.WriteString("| program | reason |\n| --- | --- |\n")
	for _, res := range known {
		fmt.Fprintf(b, "| %s | %s |\n", res.Program, cell(res.Reason))
	}
}

// writeFailures lists the programs that fail, so that a run that should not have
// been checked in shows it.
func writeFailures(b *bytes.Buffer, results []result) {
	failed := groups(results)
	if len(failed) == 0 {
		return
	}
	b.WriteString("\n## Bugs\n\n| what | reason | programs |\n| --- | --- | --- |\n")
	for _, g := range failed {
		fmt.Fprintf(b, "| %s | %s | %s |\n", g.status, cell(g.reason), nameAll(g.programs))
	}
}

// writeExclusions counts the excluded programs by reason.
func writeExclusions(b *bytes.Buffer) {
	counts := make(map[string]int)
	var reasons []string
	for _, e := range exclusions() {
		if counts[e.reason] == 0 {
			reasons = append(reasons, e.reason)
		}
		counts[e.reason]++
	}
	slices.Sort(reasons)
	b.WriteString(`
## Excluded

These programs are not run: what they are for is lost when source is rewritten, or they do not run as one file on
this platform. ` + "`internal/conformance/excluded.txt`" + ` names each.

| programs | reason |
| ---: | --- |
`)
	for _, reason := range reasons {
		fmt.Fprintf(b, "| %d | %s |\n", counts[reason], cell(reason))
	}
}

// cell makes a text fit into a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", `\|`)
}
