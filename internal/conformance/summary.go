package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A group is the programs with the same status for the same reason.
type group struct {
	status   status
	reason   string
	programs []program
}

// groups returns the groups of the results that are not good, the largest first
// within a status.
func groups(results []result) []group {
	index := make(map[string]int)
	var all []group
	for i := range results {
		res := &results[i]
		if res.Status.good() {
			continue
		}
		key := string(res.Status) + "\x00" + res.Reason
		n, ok := index[key]
		if !ok {
			n = len(all)
			index[key] = n
			all = append(all, group{status: res.Status, reason: res.Reason})
		}
		all[n].programs = append(all[n].programs, res.Program)
	}
	for i := range all {
		slices.Sort(all[i].programs)
	}
	slices.SortFunc(all, func(a, b group) int {
		return cmp.Or(
			cmp.Compare(slices.Index(statuses, a.status), slices.Index(statuses, b.status)),
			cmp.Compare(len(b.programs), len(a.programs)),
			cmp.Compare(a.reason, b.reason),
		)
	})
	return all
}

// warnings groups the warnings about functions that stayed plain. A program with two
// such functions is in its group twice.
func warnings(results []result) []group {
	byReason := make(map[string][]program)
	for i := range results {
		for _, w := range results[i].Warnings {
			byReason[w] = append(byReason[w], results[i].Program)
		}
	}
	var all []group
	for reason, programs := range byReason {
		slices.Sort(programs)
		all = append(all, group{reason: reason, programs: programs})
	}
	slices.SortFunc(all, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.programs), len(a.programs)), cmp.Compare(a.reason, b.reason))
	})
	return all
}

// count returns how many results have a status.
func count(results []result, s status) int {
	n := 0
	for i := range results {
		if results[i].Status == s {
			n++
		}
	}
	return n
}

// total adds up the coverage of the programs that are as they should be.
func total(results []result) coverage {
	var sum coverage
	for i := range results {
		if results[i].Status.good() {
			sum.Functions += results[i].Coverage.Functions
			sum.Frames += results[i].Coverage.Frames
		}
	}
	return sum
}

// shownPrograms is how many programs of a group the summary names; the results file
// has all.
const shownPrograms = 4

// writeSummary writes what came of the run.
func writeSummary(w io.Writer, results []result) {
	fmt.Fprintf(w, "%d programs\n", len(results))
	for _, s := range statuses {
		if n := count(results, s); n > 0 {
			fmt.Fprintf(w, "%6d %s\n", n, s)
		}
	}
	c := total(results)
	fmt.Fprintf(w, "%d of %d functions and function literals ran as state machines\n", c.Frames, c.Functions)
	if plain := warnings(results); len(plain) > 0 {
		fmt.Fprintf(w, "\nfunctions that stayed plain:\n")
		for _, g := range plain {
			fmt.Fprintf(w, "%6d %s\n       %s\n", len(g.programs), g.reason, nameSome(g.programs))
		}
	}
	var last status
	for _, g := range groups(results) {
		if g.status != last {
			last = g.status
			fmt.Fprintf(w, "\n%s:\n", g.status)
		}
		fmt.Fprintf(w, "%6d %s\n       %s\n", len(g.programs), g.reason, nameSome(g.programs))
	}
}

// nameSome names the first programs of a list.
func nameSome(programs []program) string {
	var names []string
	programs = slices.Compact(slices.Clone(programs))
	for _, p := range programs[:min(len(programs), shownPrograms)] {
		names = append(names, string(p))
	}
	text := strings.Join(names, ", ")
	if more := len(programs) - shownPrograms; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
