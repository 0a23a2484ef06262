package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The tools, cogen and the go command, work on several programs at once, which is
// much faster, but each failure must be put down to the program that caused it.

// A failure is why a tool has made nothing of a program.
type failure struct {
	reason string // one line, the same for other programs with the same problem
	detail string // what the tool said
}

// failures are those of a batch.
type failures map[program]failure

// overlayFile is what cogen -o leaves for go build -overlay.
type overlayFile struct {
	Replace map[string]string
}

// A generation is what cogen made of programs.
type generation struct {
	overlay  overlayFile
	path     string               // of the overlay's file
	warnings map[program][]string // general forms of why functions stayed plain
	failed   failures
}

// generate runs cogen -all -stress over programs.
//
// cogen writes nothing if one of the programs has an error. So the programs that it
// complains of are put aside, and it is run again on the others; if it says nothing
// of any of them, it is run on each one separately.
func (w *workspace) generate(ctx context.Context, programs []program) (*generation, error) {
	dir := w.path(".overlay", programs[0].folder())
	g := &generation{
		overlay:  overlayFile{Replace: make(map[string]string)},
		path:     filepath.Join(dir, "overlay.json"),
		warnings: make(map[program][]string),
		failed:   make(failures),
	}
	batches := [][]program{programs}
	for n := 0; len(batches) > 0; n++ {
		batch := batches[0]
		batches = batches[1:]
		out := filepath.Join(dir, fmt.Sprint(n))
		o, err := w.tool(ctx, toolLimit, slices.Concat([]string{w.cogen}, w.modes, []string{"-o", out}, folders(batch))...)
		switch {
		case err != nil:
			return nil, err
		case o.Exit == 0 && !o.TimedOut:
			if err := g.overlay.read(filepath.Join(out, "overlay.json")); err != nil {
				return nil, fmt.Errorf("cogen reports no error, but: %w", err)
			}
			for p, said := range mentions(batch, string(o.Stderr.Text)) {
				for line := range strings.Lines(said) {
					g.warnings[p] = append(g.warnings[p], general(line))
				}
			}
			continue
		case len(batch) == 1:
			g.failed[batch[0]] = failureOf(o, string(o.Stderr.Text))
			continue
		}
		blamed := blame(batch, string(o.Stderr.Text))
		if len(blamed) == 0 || o.TimedOut {
			for i := range batch {
				batches = append(batches, batch[i:i+1])
			}
			continue
		}
		maps.Copy(g.failed, blamed)
		if rest := without(batch, blamed); len(rest) > 0 {
			batches = append(batches, rest)
		}
	}
	text, err := json.Marshal(g.overlay)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(g.path, text, 0o644)
	}
	return g, err
}

// read adds the replacements of an overlay file.
func (f *overlayFile) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var other overlayFile
	if err := json.Unmarshal(text, &other); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	maps.Copy(f.Replace, other.Replace)
	return nil
}

// build builds programs into a folder of the workspace, with an overlay unless that
// is empty.
func (w *workspace) build(ctx context.Context, programs []program, dir, overlay string) (failures, error) {
	// Programs without a symbol table and debugging information are linked in
	// half the time, and print the same stacks.
	args := []string{"go", "build", "-p=1", "-ldflags=-s -w", "-o", w.path(dir) + string(filepath.Separator)}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	o, err := w.tool(ctx, toolLimit, append(args, folders(programs)...)...)
	if err != nil {
		return nil, err
	}
	failed := make(failures)
	sections := buildSections(string(o.Stderr.Text))
	var silent []program
	for _, p := range programs {
		if _, err := os.Stat(w.path(dir, p.folder())); err == nil {
			continue
		}
		switch section, ok := sections[p.folder()]; {
		case ok:
			failed[p] = failureOf(o, section)
		case len(programs) == 1:
			failed[p] = failureOf(o, string(o.Stderr.Text))
		default:
			silent = append(silent, p)
		}
	}
	// A package that cannot even be loaded keeps the others from being built.
	for _, p := range silent {
		alone, err := w.build(ctx, []program{p}, dir, overlay)
		if err != nil {
			return nil, err
		}
		maps.Copy(failed, alone)
	}
	return failed, nil
}

// buildSections splits what go build prints, by the folders of the packages.
func buildSections(text string) map[string]string {
	sections := make(map[string]string)
	folder := ""
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(line, "# "); ok {
			folder = strings.TrimPrefix(strings.TrimSpace(path), moduleName+"/")
			continue
		}
		sections[folder] += line
	}
	return sections
}

// sourcePath finds the paths of programs in what cogen prints.
var sourcePath = regexp.MustCompile(`([\w.+-]+)/[\w.+-]+\.go:\d+`)

// mentions returns the lines of what cogen prints that mention a program.
func mentions(programs []program, text string) map[program]string {
	byFolder := make(map[string]program)
	for _, p := range programs {
		byFolder[p.folder()] = p
	}
	said := make(map[program]string)
	for line := range strings.Lines(text) {
		for _, m := range sourcePath.FindAllStringSubmatch(line, -1) {
			if p, ok := byFolder[m[1]]; ok {
				said[p] += line
				break
			}
		}
	}
	return said
}

// blame returns the failures of the programs that are mentioned in the errors that
// cogen prints.
func blame(programs []program, text string) failures {
	failed := make(failures)
	for p, text := range mentions(programs, warningLine.ReplaceAllString(text, "")) {
		failed[p] = failureOf(&outcome{Exit: 1}, text)
	}
	return failed
}

// failureOf makes a failure of what a tool printed.
func failureOf(o *outcome, text string) failure {
	if o.TimedOut {
		return failure{"timed out", text}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return failure{general(line), text}
		}
	}
	return failure{o.status() + " without a message", text}
}

// warningLine is a line that is there, but is not why cogen failed.
var warningLine = regexp.MustCompile(`(?m)^[^\s:]*:\d+:\d+: warning: .*\n`)

var (
	positionText  = regexp.MustCompile(`^[^\s()]*\.go:\d+(:\d+)?: |[^\s()]*\.go:\d+(:\d+)?`)
	compilingWhat = regexp.MustCompile(` while compiling .*? \(\)`)
	quotedText    = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")
	hexText       = regexp.MustCompile(`0x[0-9a-f]+`)
	numberText    = regexp.MustCompile(`\b\d+\b`)
)

// general makes of a message one that is the same for all programs with the same
// problem: without positions, quotations and numbers.
func general(line string) string {
	line = strings.TrimPrefix(line, "cogen: ")
	line = positionText.ReplaceAllString(line, "")
	line = compilingWhat.ReplaceAllString(line, "")
	line = quotedText.ReplaceAllString(line, `"…"`)
	line = hexText.ReplaceAllString(line, "N")
	line = numberText.ReplaceAllString(line, "N")
	return shorten(strings.TrimSpace(line), 160)
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// folders returns the programs' packages as arguments of a tool.
func folders(programs []program) []string {
	args := make([]string, len(programs))
	for i, p := range programs {
		args[i] = "./" + p.folder()
	}
	return args
}

// without returns the programs that are not in failed.
func without(programs []program, failed failures) []program {
	var rest []program
	for _, p := range programs {
		if _, ok := failed[p]; !ok {
			rest = append(rest, p)
		}
	}
	return rest
}
