package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

// runTimeout bounds one run of one case; a case that waits for a wake-up that
// was lost ends here.
const runTimeout = 20 * time.Second

// A program is a built driver: one binary with all cases, that runs one of them
// in one of the ways of [driverTemplate].
type program struct {
	binary     string
	cases      []*goldenCase
	generation *generation // nil for the plain program
}

// overlay is what a build sees in place of the tree: absolute path to text. A
// nil text hides the file.
type overlay map[string][]byte

// An overlayFile is an overlay where the go command can read it.
type overlayFile struct {
	path   string            // of the JSON file for the -overlay flag
	stored *strings.Replacer // turns the paths of stored texts into what they replace
}

// write stores the overlay in dir.
func (o overlay) write(dir string) (*overlayFile, error) {
	replace := make(map[string]string, len(o))
	var names []string
	for path, text := range o {
		if text == nil {
			replace[path] = ""
			continue
		}
		stored := filepath.Join(dir, fmt.Sprintf("%d_%s", len(names), filepath.Base(path)))
		if err := os.WriteFile(stored, text, 0o644); err != nil {
			return nil, err
		}
		replace[path] = stored
		names = append(names, stored, path)
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	file := &overlayFile{path: filepath.Join(dir, "overlay.json"), stored: strings.NewReplacer(names...)}
	return file, os.WriteFile(file.path, b, 0o644)
}

// A driverCase is what the driver's source needs to know of a case.
type driverCase struct {
	Name, Ident, ImportPath string
}

// The driver prints what the case prints and then, when the case did not
// return, how it ended.
var driverTemplate = template.Must(template.New("driver").Parse(`package main

import (
	"fmt"
	"os"

	"{{.Module}}/rt"
{{range .Cases}}
	{{.Ident}} "{{.ImportPath}}"{{end}}
)

var plain = map[string]func(){
{{range .Cases}}	"{{.Name}}": {{.Ident}}.Main,
{{end}}}

var frames = map[string]func(){
{{if .Frames}}{{range .Cases}}	"{{.Name}}": {{.Ident}}.GoldenFrames,
{{end}}{{end}}}

// call is a future that calls plain code, once, inside a task.
type call struct{ f func() }

func (c *call) Poll(*rt.Context) bool { c.f(); return true }
func (c *call) Result()               {}

func main() {
	name, mode := os.Args[1], os.Args[2]
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		returned := false
		defer func() {
			if e := recover(); e != nil {
				fmt.Println("panic:", e)
			} else if !returned {
				fmt.Println("goexit")
			}
		}()
		switch mode {
		case "plain":
			plain[name]()
		case "task":
			rt.Run(&call{plain[name]})
		case "frames":
			frames[name]()
		}
		returned = true
	}()
	<-ended
}
`))

// entryTemplate gives the driver a way to the frame of a case's work.
var entryTemplate = template.Must(template.New("entry").Parse(`package {{.Package}}

import goldenrt "{{.Module}}/rt"

// GoldenFrames runs work as a task made of frames.
func GoldenFrames() { goldenrt.Run(workAsync()) }
`))

// buildProgram builds the driver from sources, which replace files of the tree,
// and from what cogen generated for them; with g nil, nothing generated is part
// of the build. A case that cogen failed on is left out: it would only hide the
// others by breaking the build.
func (s *suite) buildProgram(name string, g *generation, sources map[string][]byte) (*program, error) {
	dir, err := os.MkdirTemp(s.temp, name)
	if err != nil {
		return nil, err
	}
	cases := s.programs(g)
	o := s.caseOverlay(g, sources)
	var all []driverCase
	for i, c := range cases {
		p := c.program()
		all = append(all, driverCase{Name: c.name, Ident: fmt.Sprintf("case%d", i), ImportPath: p.importPath})
		if g != nil {
			var entry bytes.Buffer
			if err := entryTemplate.Execute(&entry, map[string]any{"Package": p.name, "Module": modulePath}); err != nil {
				return nil, err
			}
			o[filepath.Join(p.dir, "golden_entry.go")] = entry.Bytes()
		}
	}
	var source bytes.Buffer
	data := map[string]any{"Module": modulePath, "Cases": all, "Frames": g != nil}
	if err := driverTemplate.Execute(&source, data); err != nil {
		return nil, err
	}
	text, err := format.Source(source.Bytes())
	if err != nil {
		return nil, err
	}
	// The driver exists in the overlay only.
	o[filepath.Join(s.root, "internal", "golden", "driver", "main.go")] = text

	file, err := o.write(dir)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "driver")
	args := []string{"-o", binary}
	if raceDetector {
		args = append(args, "-race")
	}
	out, err := s.goCommand("build", file, append(args, "./internal/golden/driver")...)
	if err != nil {
		return nil, fmt.Errorf("go build of the %s program: %w\n%s", name, err, out)
	}
	return &program{binary: binary, cases: cases, generation: g}, nil
}

// caseOverlay puts sources and what g generated in place of the tree's files.
// Checked-in generated files that are not generated now are hidden, so that
// what is built is what cogen makes today.
func (s *suite) caseOverlay(g *generation, sources map[string][]byte) overlay {
	o := make(overlay)
	for _, c := range s.cases {
		for _, p := range c.packages {
			for _, path := range p.generated {
				o[path] = nil
			}
		}
	}
	maps.Copy(o, sources)
	if g != nil {
		maps.Copy(o, g.files)
	}
	return o
}

// goCommand runs the go command at the module's root, with an overlay. Paths in
// its output are relative to the root.
func (s *suite) goCommand(verb string, o *overlayFile, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{verb, "-overlay", o.path}, args...)...)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	return strings.ReplaceAll(o.stored.Replace(string(out)), s.root+string(filepath.Separator), ""), err
}

// run returns what the case c printed. The exit status must be 0: a case that
// panics is caught by the driver, so anything else is a crash.
func (p *program) run(c *goldenCase, mode, driver string) (string, error) {
	if !slices.Contains(p.cases, c) {
		return "", fmt.Errorf("cogen made nothing of this case: %v\n%s", p.generation.failures[c.name], p.generation.diagnostics[c.name])
	}
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, c.name, mode)
	cmd.Env = append(os.Environ(), "COGEN_DRIVER="+driver, "GOTRACEBACK=all")
	if raceDetector {
		// A program that found no race would sleep a second before it exits.
		cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
	}
	// A grandchild that kept the pipes open must not hold the test either.
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("still running after %v", runTimeout)
	}
	if err != nil {
		return stdout.String(), fmt.Errorf("%w\nstdout:\n%s\nstderr:\n%s", err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
