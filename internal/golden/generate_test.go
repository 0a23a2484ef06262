package golden

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/cogen-go/cogen/transform"
)

// A generation is what cogen makes of all cases.
type generation struct {
	files       map[string][]byte // absolute path to text
	diagnostics map[string]string // case name to its diagnostics, one a line
	failures    map[string]error  // case name to the bug in cogen that it met
}

// generate runs cogen over every case. sources replaces files of the tree.
func (s *suite) generate(stress bool, sources map[string][]byte) (*generation, error) {
	g := &generation{
		files:       make(map[string][]byte),
		diagnostics: make(map[string]string),
		failures:    make(map[string]error),
	}
	opts := transform.Options{Dir: s.root, Stress: stress, Overlay: sources}
	return g, s.generateInto(g, opts, s.cases)
}

// generateInto runs cogen over some cases together, which is much faster than
// one by one. But one error stops a run of cogen, so the cases that had one, on
// purpose or not, are left out of the next run; and if cogen itself failed, the
// case that it failed on is found by halving.
func (s *suite) generateInto(g *generation, opts transform.Options, cases []*goldenCase) error {
	if len(cases) == 0 {
		return nil
	}
	var patterns []string
	for _, c := range cases {
		patterns = append(patterns, "./"+casesFolder+"/"+c.name+"/...")
	}
	res, err := transform.Generate(context.Background(), opts, patterns...)
	if err != nil {
		if half := len(cases) / 2; half > 0 {
			return errors.Join(s.generateInto(g, opts, cases[:half]), s.generateInto(g, opts, cases[half:]))
		}
		if bug, ok := errors.AsType[*transform.InternalError](err); ok {
			err = fmt.Errorf("%w\n%s", bug, bug.Stack)
		}
		g.failures[cases[0].name] = err
		return nil
	}
	failed, err := s.sortDiagnostics(res.Diagnostics, g)
	if err != nil {
		return err
	}
	if res.Failed() {
		return s.generateInto(g, opts, without(cases, failed))
	}
	for _, f := range res.Files {
		if f.Content != nil {
			g.files[f.Path] = f.Content
		}
	}
	return nil
}

// sortDiagnostics records the diagnostics of one run by case, and returns which
// cases have errors.
func (s *suite) sortDiagnostics(list []transform.Diagnostic, g *generation) (map[*goldenCase]bool, error) {
	failed := make(map[*goldenCase]bool)
	texts := make(map[string]*strings.Builder)
	for i := range list {
		d := &list[i]
		c := s.caseOf(d.Pos.Filename)
		if c == nil {
			return nil, fmt.Errorf("diagnostic outside the cases: %s", d.Format(s.root))
		}
		if texts[c.name] == nil {
			texts[c.name] = new(strings.Builder)
		}
		fmt.Fprintln(texts[c.name], d.Format(c.dir))
		if d.Severity == transform.Error {
			failed[c] = true
		}
	}
	for name, text := range texts {
		g.diagnostics[name] = text.String()
	}
	return failed, nil
}

func without(cases []*goldenCase, drop map[*goldenCase]bool) []*goldenCase {
	var kept []*goldenCase
	for _, c := range cases {
		if !drop[c] {
			kept = append(kept, c)
		}
	}
	return kept
}

// of returns the paths of the files generated for c, sorted.
func (g *generation) of(c *goldenCase) []string {
	var paths []string
	for path := range g.files {
		if c.owns(path) {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	return paths
}
