package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A suite is what all tests of this package work on. The expensive parts, runs
// of cogen over all cases and builds of the driver, are made once, when first
// asked for.
type suite struct {
	root  string // of the module
	temp  string
	cases []*goldenCase

	frames func() (*generation, error)
	plain  func() (*program, error)
	modes  []mode
}

// A mode is one way to run a case.
type mode struct {
	name    string
	program func() (*program, error)
	entry   string // how the driver enters the case: plain, task or frames
	tasks   bool   // runs tasks, so it is run on every driver
	mixed   bool   // has half of the functions left plain
}

var theSuite *suite

func TestMain(m *testing.M) {
	os.Exit(func() int {
		temp, err := os.MkdirTemp("", "cogen-golden")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		defer os.RemoveAll(temp)
		theSuite, err = newSuite(temp)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		return m.Run()
	}())
}

func newSuite(temp string) (*suite, error) {
	root, err := findModuleRoot()
	if err != nil {
		return nil, err
	}
	cases, err := findCases(root)
	if err != nil {
		return nil, err
	}
	s := &suite{root: root, temp: temp, cases: cases}

	s.frames = sync.OnceValues(func() (*generation, error) { return s.generate(false, nil) })
	s.plain = sync.OnceValues(func() (*program, error) { return s.buildProgram("plain", nil, nil) })
	frames := sync.OnceValues(func() (*program, error) {
		g, err := s.frames()
		if err != nil {
			return nil, err
		}
		return s.buildProgram("frames", g, nil)
	})
	// generated builds the program from sources generated with forced
	// suspension at every await point.
	generated := func(name string, sources map[string][]byte) func() (*program, error) {
		return sync.OnceValues(func() (*program, error) {
			g, err := s.generate(true, sources)
			if err != nil {
				return nil, err
			}
			return s.buildProgram(name, g, sources)
		})
	}
	s.modes = []mode{
		{"plain", s.plain, "plain", false, false},
		{"plain in task", s.plain, "task", true, false},
		{"frames", frames, "frames", true, false},
		{"stress", generated("stress", nil), "frames", true, false},
		{"mixed even", generated("mixed0", mixedSources(cases, 0)), "frames", true, true},
		{"mixed odd", generated("mixed1", mixedSources(cases, 1)), "frames", true, true},
	}
	return s, nil
}

// programs are the cases that can be run; with g, those for which it has the
// frames. A case without them fails in the test of its generated files, and
// would only hide the others by breaking the build.
func (s *suite) programs(g *generation) []*goldenCase {
	var runnable []*goldenCase
	for _, c := range s.cases {
		if c.program() != nil && (g == nil || len(g.of(c)) > 0) {
			runnable = append(runnable, c)
		}
	}
	return runnable
}

// caseOf returns the case that a file belongs to, or nil.
func (s *suite) caseOf(path string) *goldenCase {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.root, path)
	}
	for _, c := range s.cases {
		if c.owns(path) {
			return c
		}
	}
	return nil
}

// relative is path as a reader of a test log wants it.
func (s *suite) relative(path string) string {
	return strings.TrimPrefix(path, s.root+string(filepath.Separator))
}
