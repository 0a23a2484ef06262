package golden

import (
	"bytes"
	"errors"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	// The programs are built with it: when it changes, results of these tests
	// that the go command has cached are no longer good.
	_ "github.com/cogen-go/cogen/rt"
)

var (
	update      = flag.Bool("update", false, "rewrite the generated files, diagnostics and outputs of all cases")
	staticcheck = flag.String("staticcheck", "", "lint generated files with staticcheck, a `package@version`")
)

// TestGenerated compares what cogen generates now with what is checked in.
func TestGenerated(t *testing.T) {
	s := theSuite
	g, err := s.frames()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.cases {
		t.Run(c.name, func(t *testing.T) {
			if *update && g.failures[c.name] == nil {
				updateGenerated(t, s, c, g)
			}
			if err := g.failures[c.name]; err != nil {
				t.Fatal(err)
			}
			compareText(t, c, diagnosticsFile, g.diagnostics[c.name])

			paths := g.of(c)
			if len(paths) == 0 && c.program() != nil {
				t.Errorf("nothing was generated; diagnostics:\n%s", g.diagnostics[c.name])
			}
			for _, path := range paths {
				got := g.files[path]
				want, err := os.ReadFile(path)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%s differs from what is generated now (-wanted +generated; make golden accepts it):\n%s", s.relative(path), diff)
				}
				formatted, err := format.Source(got)
				if err != nil {
					t.Errorf("%s does not parse: %v", s.relative(path), err)
				} else if diff := cmp.Diff(string(formatted), string(got)); diff != "" {
					t.Errorf("%s is not gofmt-clean (-gofmt +generated):\n%s", s.relative(path), diff)
				}
			}
			for _, p := range c.packages {
				for _, path := range p.generated {
					if !*update && !slices.Contains(paths, path) {
						t.Errorf("%s is checked in, but cogen does not generate it", s.relative(path))
					}
				}
			}
		})
	}
}

func updateGenerated(t *testing.T, s *suite, c *goldenCase, g *generation) {
	t.Helper()
	for _, p := range c.packages {
		for _, path := range p.generated {
			if g.files[path] == nil {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, path := range g.of(c) {
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, g.files[path]) {
			continue
		}
		if err := os.WriteFile(path, g.files[path], 0o644); err != nil {
			t.Error(err)
		}
		t.Logf("wrote %s", s.relative(path))
	}
	if err := c.writeWanted(diagnosticsFile, g.diagnostics[c.name]); err != nil {
		t.Error(err)
	}
}

// TestDeterministic generates a second time and wants the same bytes.
func TestDeterministic(t *testing.T) {
	s := theSuite
	first, err := s.frames()
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.generate(false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range first.files {
		if diff := cmp.Diff(string(text), string(second.files[path])); diff != "" {
			t.Errorf("%s changes from run to run (-first +second):\n%s", s.relative(path), diff)
		}
	}
	if len(first.files) != len(second.files) {
		t.Errorf("generated %d files, then %d", len(first.files), len(second.files))
	}
	if diff := cmp.Diff(first.diagnostics, second.diagnostics); diff != "" {
		t.Errorf("diagnostics change from run to run (-first +second):\n%s", diff)
	}
}

// TestVet runs go vet over all cases; it must find nothing in generated files
// that it does not find in the sources they were made from.
func TestVet(t *testing.T) {
	s := theSuite
	g, err := s.frames()
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.caseOverlay(g, nil).write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, c := range s.programs(g) {
		for _, p := range c.packages {
			packages = append(packages, p.importPath)
		}
	}
	if out, err := s.goCommand("vet", file, packages...); err != nil {
		newFindings(t, "go vet", out, func(message string) string { return message })
	}
}

// TestStaticcheck does the same with staticcheck and the generated files that are checked
// in. What it says names variables, so it is its checks that are compared.
func TestStaticcheck(t *testing.T) {
	if *staticcheck == "" {
		t.Skip("no -staticcheck")
	}
	s := theSuite
	g, err := s.frames()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"run", *staticcheck}
	for _, c := range s.programs(g) {
		for _, p := range c.packages {
			args = append(args, p.importPath)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = s.root
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`\([A-Z]+\d+\)$`)
	newFindings(t, "staticcheck", string(out), check.FindString)
	// All that the go command has to say is that there were findings.
	if exit != nil && strings.TrimSpace(string(exit.Stderr)) != "exit status 1" {
		t.Errorf("staticcheck: %s", exit.Stderr)
	}
}

// newFindings reports what a linter found in generated files and not in the sources in the
// same folder. kind says which findings are of a kind.
func newFindings(t *testing.T, linter, out string, kind func(message string) string) {
	t.Helper()
	finding := regexp.MustCompile(`^(?:vet: )?(?:\./)?(\S+\.go):\d+:\d+: (.*)$`)
	inSource := make(map[string]bool) // folder and kind
	var generated [][2]string
	for line := range strings.Lines(out) {
		m := finding.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if !strings.HasPrefix(line, "#") {
				t.Errorf("%s: %s", linter, line)
			}
			continue
		}
		key := filepath.Dir(m[1]) + ": " + kind(m[2])
		if strings.HasSuffix(m[1], generatedSuffix) {
			generated = append(generated, [2]string{key, line})
		} else {
			inSource[key] = true
		}
	}
	for _, f := range generated {
		if !inSource[f[0]] {
			t.Errorf("%s: %s", linter, f[1])
		}
	}
}

// TestOutput runs every case in every mode on every driver. The plain form on
// an ordinary goroutine is the oracle: only it writes the wanted output.
func TestOutput(t *testing.T) {
	s := theSuite
	if *update {
		updateOutput(t, s)
	}
	for _, m := range s.modes {
		if testing.Short() && m.mixed {
			continue
		}
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			p, err := m.program()
			if err != nil {
				t.Fatal(err)
			}
			drivers := []string{"uring", "epoll"}
			if !m.tasks {
				drivers = drivers[:1]
			}
			for _, c := range s.programs(nil) {
				for _, driver := range drivers {
					t.Run(c.name+"/"+driver, func(t *testing.T) {
						if raceDetector && plainChangesWithRace[c.name] {
							t.Skip("the plain form does something else with the race detector")
						}
						if m.mixed && blocksNatively[c.name] {
							t.Skip("its functions hold up their worker when they are plain")
						}
						t.Parallel()
						got, err := p.run(c, m.entry, driver)
						if err != nil {
							t.Fatal(err)
						}
						compareText(t, c, outputFile, got)
					})
				}
			}
		})
	}
}

// blocksNatively are the cases whose async functions wait for each other by the
// operations of Go itself. In a task, a function that was left plain would block
// the thread that the others need (see "Limits" of package rt).
var blocksNatively = map[string]bool{"channels": true, "sync_and_sleep": true}

// plainChangesWithRace are cases about what gc reads or copies after the calls of
// a statement, such as elements of maps, and before them in code that is instrumented for
// the race detector.
var plainChangesWithRace = map[string]bool{"order_map_reads": true, "order_copies": true, "order_operands": true}

func updateOutput(t *testing.T, s *suite) {
	t.Helper()
	p, err := s.plain()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.programs(nil) {
		got, err := p.run(c, "plain", "epoll")
		if err != nil {
			t.Errorf("case %s, plain: %v", c.name, err)
			continue
		}
		if err := c.writeWanted(outputFile, got); err != nil {
			t.Error(err)
		}
	}
}

// compareText compares got with a wanted text of the case.
func compareText(t *testing.T, c *goldenCase, name, got string) {
	t.Helper()
	want, err := c.readWanted(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-wanted +got):\n%s", name, diff)
	}
}
