// Package transform turns functions marked //cogen:async into resumable state
// machines. Source packages go in, generated files and diagnostics come out;
// nothing is written here except by [Result.Write].
//
// The passes, each in the file of its name:
//
//	load       packages, syntax and types; generated names are declared by stubs
//	directive  which functions are marked
//	colour     which calls are await points
//	lower      every await stands alone, in Go's order of evaluation
//	blocks     control flow cut at the await points
//	live       variables that live across an await
//	layout     slots for them in the frame
//	emit       the generated file
//
// What they find out about a function is there for people and tools, too: see
// [Options.Analyze] and [Function].
package transform

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Options says what to load and how.
type Options struct {
	// Dir is the directory that patterns are relative to; empty means the
	// working directory.
	Dir string
	// Env is the environment of the go command; nil means the process's.
	Env []string
	// BuildFlags are passed to the go command, such as -tags=x.
	BuildFlags []string
	// Tests includes the packages' test files.
	Tests bool
	// All treats every function with a body as marked. The sources change then,
	// so that each function runs its frame: Result.Files has them, too, and is
	// for an overlay (see Result.WriteOverlay), not to be written in place.
	All bool
	// Stress makes every await point suspend at least once, and with All the
	// start of every statement. It is for tests: a program must not behave
	// differently.
	Stress bool
	// Mixed leaves every second function of each file as it is, with All. Its calls
	// run the frames of the others in the middle of plain code.
	Mixed bool
	// Overlay replaces the contents of files, by absolute path.
	Overlay map[string][]byte
	// Analyze asks for Result.Analysis.
	Analyze bool
}

// A File is a generated file.
type File struct {
	// Path is absolute.
	Path string
	// Content is what the file should hold; nil means that it should not
	// exist, because its source has no annotation any more.
	Content []byte
	// Exists says that there is such a file now, and Old is what it holds.
	Exists bool
	Old    []byte
}

// Result is what Generate found and made.
type Result struct {
	// Files are the generated files, changed or not, sorted by path. There
	// are none if a diagnostic is an error.
	Files []File
	// Diagnostics are sorted by position.
	Diagnostics []Diagnostic
	// Packages and Functions count what was compiled.
	Packages  int
	Functions int
	// Analysis says what has become of each function that was compiled, in order of
	// position; nil if it was not asked for or a diagnostic is an error.
	Analysis []*Function
}

// Failed reports whether a diagnostic is an error.
func (r *Result) Failed() bool {
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Severity == Error {
			return true
		}
	}
	return false
}

// An InternalError is a bug in cogen: a pass panicked.
type InternalError struct {
	// Func names the function that was being compiled, with its position;
	// it is empty if none was.
	Func  string
	Value any
	Stack []byte
}

func (e *InternalError) Error() string {
	if e.Func == "" {
		return fmt.Sprintf("internal error: %v", e.Value)
	}
	return fmt.Sprintf("internal error while compiling %s: %v", e.Func, e.Value)
}

// Generate compiles the marked functions of the packages that match the
// patterns. What is wrong with the source is reported in Result.Diagnostics; the
// error is for packages that cannot be loaded at all, and for bugs in cogen,
// which are an [*InternalError].
func Generate(ctx context.Context, opts Options, patterns ...string) (*Result, error) {
	return generate(ctx, opts, patterns, compilePackage)
}

// compiler is the part of Generate that comes after loading. It is a parameter
// for the tests of everything around it.
type compiler func(prog *program, p *sourcePackage, diags *diagnostics) []File

func generate(ctx context.Context, opts Options, patterns []string, compile compiler) (*Result, error) {
	prog, err := load(ctx, opts, patterns)
	if err != nil {
		return nil, err
	}
	return prog.generate(compile)
}

// generate runs the compiler over the loaded packages.
func (prog *program) generate(compile compiler) (res *Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			e := &InternalError{Value: v, Stack: debug.Stack()}
			if f := prog.current; f != nil {
				e.Func = fmt.Sprintf("%s (%s)", f.name, prog.fset.Position(f.root().Pos()))
			}
			res, err = nil, e
		}
	}()

	res = &Result{}
	dirs := make(map[string]bool)
	var files []File
	for _, p := range prog.packages {
		if p.pkg.IllTyped || prog.diags.failedIn(p.dir) {
			continue // the passes take types for granted
		}
		prog.current = nil
		files = append(files, compile(prog, p, prog.diags)...)
		dirs[p.dir] = true // a package and its tests are one
		for _, file := range p.files {
			if file.owned {
				res.Functions += len(file.async)
			}
		}
	}
	prog.current = nil
	res.Packages = len(dirs)
	if prog.opts.All {
		files = append(files, prog.allSources()...)
	} else if files, err = prog.compareWithDisk(files); err != nil {
		return nil, err
	}
	res.Diagnostics = prog.diags.sorted()
	if !res.Failed() {
		res.Files = files
		res.Analysis = prog.sortedAnalysis()
	}
	return res, nil
}
