package differential

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/cogen-go/cogen/transform"
)

const (
	modulePath = "github.com/cogen-go/cogen"
	// programsPath is where the programs are, as far as the go command can see.
	programsPath = modulePath + "/internal/differential/programs"
)

// A Runner runs batches of programs.
type Runner struct {
	// Parallel is how many compilers and programs run at a time.
	Parallel int
	// Seen has the programs that are known to be without a difference; nil to run all.
	Seen *Seen

	root   string // of the module
	temp   string
	tools  string // the folder of the compiler and the linker
	config string // the compiler's import configuration
	lines  []string
	n      int // batches so far
}

// NewRunner returns a runner for the module at root, that keeps its files in the
// folder temp.
func NewRunner(root, temp string) (*Runner, error) {
	r := &Runner{Parallel: runtime.GOMAXPROCS(0), root: root, temp: temp, config: filepath.Join(temp, "importcfg")}
	// What programs and the driver import is compiled once, by the go command. The
	// programs themselves are compiled and linked with its tools directly: a run
	// makes many thousands of packages that nobody asks for again, which have no
	// place in the build cache.
	tools, err := r.command("go", "env", "GOTOOLDIR")
	if err != nil {
		return nil, err
	}
	r.tools = strings.TrimSpace(tools)
	out, err := r.command("go", "list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"./internal/progen/trace", "./rt", "./rt/rangefunc", "encoding/json", "fmt", "os", "time", "runtime/pprof")
	if err != nil {
		return nil, err
	}
	r.lines = strings.Split(strings.TrimSpace(out), "\n")
	return r, os.WriteFile(r.config, []byte(out), 0o644)
}

// command runs a program at the module's root.
func (r *Runner) command(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	// The compiler's packages are small: it is faster than its collector.
	cmd.Env = append(os.Environ(), "GOGC=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", filepath.Base(name), err, out, stderr.String())
	}
	return string(out), nil
}

// tool runs one of the go command's tools.
func (r *Runner) tool(name string, args ...string) error {
	_, err := r.command(filepath.Join(r.tools, name), args...)
	return err
}

// compileFlags make the compiler faster, and not its code different.
var compileFlags = []string{"-c=1", "-dwarf=false", "-pack"}

// rounds are the ways to generate and build programs. Batches take turns, since
// nearly all of the time goes to the compiler.
const rounds = 4

func variantOf(round int) *variant {
	switch round % rounds {
	case 0:
		return &variant{name: "frames", modes: []string{"plain", "task", "frames"}}
	case 1:
		return &variant{name: "stress", stress: true, modes: []string{"plain", "frames"}}
	}
	return &variant{name: "mixed", stress: true, strip: true, parity: round % 2, modes: []string{"plain", "frames"}}
}

// Run runs the programs, and returns for each its difference, or nil if there is none.
// The number of the round, from 0 to 3, chooses how. The error is for what has nothing to do
// with the programs.
func (r *Runner) Run(programs []Program, round int) ([]*Difference, error) {
	r.n++
	dir := filepath.Join(r.temp, fmt.Sprintf("batch%d", r.n))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &batch{Runner: r, dir: dir, programs: programs, differences: make([]*Difference, len(programs)), keys: make([]key, len(programs))}
	v := variantOf(round)
	if err := b.build(v); err != nil {
		return nil, err
	}
	traces := make([]string, len(programs)) // of the oracle
	for _, mode := range v.modes {
		if err := b.compare(v, mode, traces); err != nil {
			return nil, err
		}
	}
	for _, i := range v.in {
		if b.differences[i] == nil {
			if err := r.Seen.add(b.keys[i]); err != nil {
				return nil, err
			}
		}
	}
	return b.differences, nil
}

// A batch is one call of Run.
type batch struct {
	*Runner
	dir         string
	programs    []Program
	differences []*Difference
	keys        []key // of what is built from the programs
}

// A variant is one way to generate and build the programs.
type variant struct {
	name   string
	stress bool
	strip  bool
	parity int
	modes  []string

	binary string
	in     []int // the programs that are part of it
}

// differs records the first difference of a program.
func (b *batch) differs(i int, kind Kind, mode, detail string) {
	if b.differences[i] == nil {
		b.differences[i] = &Difference{kind, mode, detail}
	}
}

// undecided are the programs without a difference so far.
func (b *batch) undecided() []int {
	var out []int
	for i, d := range b.differences {
		if d == nil {
			out = append(out, i)
		}
	}
	return out
}

// build makes the variant's binary.
func (b *batch) build(v *variant) error {
	sources := make([]Program, len(b.programs))
	for i, p := range b.programs {
		if v.strip {
			p = p.strip(v.parity)
		}
		sources[i] = p
	}
	generated := make([][]byte, len(b.programs))
	if err := b.generate(v, sources, generated, b.undecided()); err != nil {
		return err
	}
	var mu sync.Mutex
	b.parallel(len(sources), func(i int) error {
		if generated[i] == nil {
			return nil
		}
		b.keys[i] = newKey(b.lines, v.name, sources[i].Source, generated[i])
		if b.Seen.has(b.keys[i]) {
			return nil
		}
		err := b.compile(v, sources[i], generated[i])
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			v.in = append(v.in, i)
		case strings.Contains(err.Error(), "internal compiler error"):
			b.differs(i, Compiler, v.name, err.Error())
		case b.compile(v, sources[i], nil) != nil:
			b.differs(i, Oracle, v.name, err.Error())
		default:
			b.differs(i, Uncompilable, v.name, err.Error())
		}
		return nil
	})
	if len(v.in) == 0 {
		return nil
	}
	return b.link(v)
}

// parallel calls f for all numbers below n, some at a time.
func (r *Runner) parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan bool, max(r.Parallel, 1))
	var wg sync.WaitGroup
	for i := range n {
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// generate runs cogen over the programs together, and if it fails over halves of
// them, so that it is known which ones it failed on.
func (b *batch) generate(v *variant, sources []Program, generated [][]byte, in []int) error {
	if len(in) == 0 {
		return nil
	}
	overlay := make(map[string][]byte)
	index := make(map[string]int) // by the generated file's path
	var patterns []string
	for _, i := range in {
		p := sources[i]
		dir := filepath.Join(b.root, "internal", "differential", "programs", p.Name)
		overlay[filepath.Join(dir, p.Name+".go")] = p.Source
		index[filepath.Join(dir, p.Name+"_cogen.go")] = i
		patterns = append(patterns, programsPath+"/"+p.Name)
	}
	res, err := transform.Generate(context.Background(), transform.Options{Dir: b.root, Stress: v.stress, Overlay: overlay}, patterns...)
	bug, isBug := errors.AsType[*transform.InternalError](err)
	if err != nil && !isBug {
		return err
	}
	if isBug || res.Failed() {
		if half := len(in) / 2; half > 0 {
			return errors.Join(b.generate(v, sources, generated, in[:half]), b.generate(v, sources, generated, in[half:]))
		}
		if isBug {
			b.differs(in[0], Internal, v.name, fmt.Sprintf("%v\n%s", bug, bug.Stack))
			return nil
		}
		var text strings.Builder
		for i := range res.Diagnostics {
			fmt.Fprintln(&text, res.Diagnostics[i].Format(b.root))
		}
		b.differs(in[0], Refused, v.name, text.String())
		return nil
	}
	for _, f := range res.Files {
		if i, ok := index[f.Path]; ok {
			generated[i] = f.Content
		}
	}
	return nil
}

// entry gives the driver a way to the frame of work.
const entry = `package %s

import "` + modulePath + `/rt"

// Frames runs work as a task made of frames.
func Frames() { rt.Run(workAsync()) }
`

// compile compiles a program, with what was generated for it if that is not nil.
func (b *batch) compile(v *variant, p Program, generated []byte) error {
	dir := filepath.Join(b.dir, v.name, p.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string][]byte{p.Name + ".go": p.Source}
	if generated != nil {
		files[p.Name+"_cogen.go"] = generated
		files["entry.go"] = fmt.Appendf(nil, entry, p.Name)
	}
	args := append(compileFlags[:len(compileFlags):len(compileFlags)], "-p", programsPath+"/"+p.Name, "-importcfg", b.config, "-o", archive(dir))
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		args = append(args, path)
	}
	return b.tool("compile", args...)
}

func archive(dir string) string { return dir + ".a" }

// link builds the driver.
func (b *batch) link(v *variant) error {
	dir := filepath.Join(b.dir, v.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lines := append([]string(nil), b.lines...)
	var names []string
	for _, i := range v.in {
		name := b.programs[i].Name
		names = append(names, name)
		lines = append(lines, fmt.Sprintf("packagefile %s/%s=%s", programsPath, name, archive(filepath.Join(dir, name))))
	}
	config := filepath.Join(dir, "importcfg")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return err
	}
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, driverSource(names), 0o644); err != nil {
		return err
	}
	if err := b.tool("compile", "-p", "main", "-importcfg", config, "-o", main+".a", "-pack", main); err != nil {
		return err
	}
	v.binary = filepath.Join(dir, "driver")
	return b.tool("link", "-s", "-w", "-importcfg", config, "-o", v.binary, main+".a")
}
