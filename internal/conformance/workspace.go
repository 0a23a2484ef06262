package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A workspace is a module outside of cogen's that uses it, with one package for each
// program:
//
//	go.mod, go.sum
//	<folder>/<program>.go     a copy of the program
//	.cogen                    the program cogen
//	.plain/<folder>           the programs as they are
//	.frames/<folder>          the programs as state machines
//	.overlay/<folder>/        what cogen wrote for them
//	.tmp/                     the programs' temporary files
//
// Folders whose name begins with a dot are none of the module's packages.
type workspace struct {
	dir       string
	keep      bool
	cogen     string // path of the program
	goVersion string
	testDir   string   // $(go env GOROOT)/test, where Go runs the programs
	modes     []string // flags of cogen
	goEnv     []string
	runEnv    []string
}

// toolLimit is for a go command, or cogen, over a batch.
const toolLimit = 10 * time.Minute

// moduleName is the workspace's module path.
const moduleName = "conformance.example"

func newWorkspace(ctx context.Context, o *options, programs []program) (*workspace, error) {
	w := &workspace{dir: o.work, keep: o.work != "", cogen: o.cogen, modes: []string{"-all", "-stress"}}
	if o.mixed {
		w.modes = append(w.modes, "-mixed")
	}
	var err error
	if w.keep {
		if w.dir, err = filepath.Abs(w.dir); err == nil {
			err = os.MkdirAll(w.dir, 0o755)
		}
	} else {
		w.dir, err = os.MkdirTemp("", "cogen-conformance")
	}
	if err != nil {
		return nil, err
	}
	if err := w.fill(ctx, programs); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// fill writes the module and builds cogen.
func (w *workspace) fill(ctx context.Context, programs []program) error {
	w.setEnv()
	// The module is asked for here and not in the workspace: the run may have
	// been started anywhere inside it.
	out, err := w.output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/cogen-go/cogen")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(out))
	if out, err = w.output(ctx, "", "go", "env", "GOVERSION", "GOROOT"); err != nil {
		return err
	}
	version, goroot, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	w.goVersion, w.testDir = version, filepath.Join(goroot, "test")
	w.runEnv = append(w.runEnv, "PWD="+w.testDir)

	if err := w.writeModule(root); err != nil {
		return err
	}
	for _, p := range programs {
		source, err := os.ReadFile(filepath.Join(w.testDir, filepath.FromSlash(string(p))))
		if err != nil {
			return fmt.Errorf("reading a program of Go's tests, which must be installed with Go: %w", err)
		}
		if err := os.MkdirAll(w.path(p.folder()), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(w.path(p.folder(), p.base()), source, 0o644); err != nil {
			return err
		}
	}
	for _, dir := range []string{".plain", ".frames", ".overlay", ".tmp"} {
		if err := os.MkdirAll(w.path(dir), 0o755); err != nil {
			return err
		}
	}
	if w.cogen != "" {
		w.cogen, err = filepath.Abs(w.cogen)
		return err
	}
	w.cogen = w.path(".cogen")
	_, err = w.output(ctx, root, "go", "build", "-o", w.cogen, "./cmd/cogen")
	return err
}

// writeModule writes a go.mod that replaces cogen by the tree in root. It repeats
// cogen's requirements, with their sums: that is what go mod tidy would write if it
// were allowed to reach the network.
func (w *workspace) writeModule(root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	_, requirements, _ := strings.Cut(string(mod), "\n")
	text := fmt.Sprintf(`module %s
%s
require github.com/cogen-go/cogen v0.0.0

replace github.com/cogen-go/cogen => %s
`, moduleName, requirements, root)
	if err := os.WriteFile(w.path("go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(w.path("go.sum"), sum, 0o644)
}

// setEnv makes the environments of tools and programs. Each tool keeps to one CPU,
// so that as many are busy as there are workers. The programs run with Go's
// defaults, and keep their temporary files in the workspace.
func (w *workspace) setEnv() {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		switch name {
		case "GOFLAGS", "GOOS", "GOARCH", "GOEXPERIMENT", "GOWORK", "GODEBUG", "GOGC", "GOMEMLIMIT", "GOMAXPROCS",
			"GOTRACEBACK", "TMPDIR", "PWD":
			return true
		}
		return false
	})
	env = slices.Clip(env)
	w.goEnv = append(env, "GOMAXPROCS=1", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off")
	w.runEnv = append(env, "TMPDIR="+w.path(".tmp"))
}

// path returns a path in the workspace.
func (w *workspace) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// tool runs the go command or cogen in the workspace.
func (w *workspace) tool(ctx context.Context, limit time.Duration, args ...string) (*outcome, error) {
	return (&process{dir: w.dir, env: w.goEnv, limit: limit, args: args}).run(ctx)
}

// program runs a program.
func (w *workspace) program(ctx context.Context, limit time.Duration, path string) (*outcome, error) {
	return (&process{dir: w.testDir, env: w.runEnv, limit: limit, args: []string{path}}).run(ctx)
}

// output runs a tool that must succeed and returns what it prints.
func (w *workspace) output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	o, err := (&process{dir: dir, env: w.goEnv, limit: toolLimit, args: args}).run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	if o.Exit != 0 {
		return nil, fmt.Errorf("%s: %s\n%s", strings.Join(args, " "), o.status(), o.Stderr.Text)
	}
	return o.Stdout.Text, nil
}

// remove removes the workspace, unless it is to be kept.
func (w *workspace) remove() {
	if !w.keep {
		os.RemoveAll(w.dir)
	}
}

// discard removes what was built for a program, which is several megabytes.
func (w *workspace) discard(p program) {
	if !w.keep {
		os.Remove(w.path(".plain", p.folder()))
		os.Remove(w.path(".frames", p.folder()))
	}
}
