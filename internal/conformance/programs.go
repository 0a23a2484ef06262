package main

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// The lists are taken from one version of Go: programs.txt has the programs whose
// first line is "// run" and that consist of one file; excluded.txt those of them
// whose purpose is something that no rewritten program could have, with a reason
// of a few words after a tab.
var (
	//go:embed programs.txt
	programsText string
	//go:embed excluded.txt
	excludedText string
)

// A program is one of Go's test programs, by its path below $(go env GOROOT)/test.
type program string

// folder is the name of the program's package in the workspace, and of what is
// built from it. Unlike the program's base name it is unique.
func (p program) folder() string {
	return strings.ReplaceAll(strings.TrimSuffix(string(p), ".go"), "/", "-")
}

// base is the name of the program's file.
func (p program) base() string {
	return string(p)[strings.LastIndexByte(string(p), '/')+1:]
}

// allPrograms returns the programs of the list, in its order.
func allPrograms() []program {
	var all []program
	for line := range strings.Lines(programsText) {
		all = append(all, program(strings.TrimSpace(line)))
	}
	return all
}

// choose returns the programs to run, ordered by hash. So the first n of them are a
// fair sample, which changes little when the list does, and a run that is ended by
// its budget has covered one too.
func choose(o *options) []program {
	programs := allPrograms()
	if o.match != nil {
		programs = slices.DeleteFunc(programs, func(p program) bool {
			return !o.match.MatchString(string(p))
		})
	}
	hash := func(p program) string {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(o.seed+"\x00"+string(p))))
	}
	slices.SortFunc(programs, func(p, q program) int { return cmp.Compare(hash(p), hash(q)) })
	if o.slice > 0 && o.slice < len(programs) {
		programs = programs[:o.slice]
	}
	return programs
}

// An exclusion is a program that is not run at all.
type exclusion struct {
	program program
	reason  string
}

// exclusions returns the excluded programs, in the order of the list.
func exclusions() []exclusion {
	var all []exclusion
	for line := range strings.Lines(excludedText) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, exclusion{program(name), reason})
	}
	return all
}
