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

// generate runs cogen over every case. sources replaces files of the tree. One
// error stops a run of cogen, so the cases that had one, on purpose or not, are
// left out of the next run, until there is none.
func (s *suite) generate(stress bool, sources map[string][]byte) (*generation, error) {
	g := &generation{
		files:       make(map[string][]byte),
		diagnostics: make(map[string]string),
		failures:    make(map[string]error),
	}
	left := s.cases
	for len(left) > 0 {
		var patterns []string
		for _, c := range left {
			patterns = append(patterns, "./"+casesFolder+"/"+c.name+"/...")
		}
		opts := transform.Options{Dir: s.root, Stress: stress, Overlay: sources}
		res, err := transform.Generate(context.Background(), opts, patterns...)
		failed := make(map[*goldenCase]bool)
		if err != nil {
			bug, ok := errors.AsType[*transform.InternalError](err)
			c := s.caseNamedIn(err.Error())
			if !ok || c == nil || g.failures[c.name] != nil {
				return nil, err
			}
			g.failures[c.name] = fmt.Errorf("%w\n%s", bug, bug.Stack)
			failed[c] = true
		} else {
			if err := s.sortDiagnostics(res.Diagnostics, g, failed); err != nil {
				return nil, err
			}
			if !res.Failed() {
				for _, f := range res.Files {
					if f.Content != nil {
						g.files[f.Path] = f.Content
					}
				}
				break
			}
		}
		left = without(left, failed)
	}
	return g, nil
}

// sortDiagnostics records the diagnostics of one run by case, and which cases
// have errors.
func (s *suite) sortDiagnostics(list []transform.Diagnostic, g *generation, failed map[*goldenCase]bool) error {
	texts := make(map[string]*strings.Builder)
	for i := range list {
		d := &list[i]
		c := s.caseOf(d.Pos.Filename)
		if c == nil {
			return fmt.Errorf("diagnostic outside the cases: %s", d.Format(s.root))
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
	return nil
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
