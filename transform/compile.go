package transform

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"
)

// compilePackage returns the generated files of p: the passes in their order.
func compilePackage(prog *program, p *sourcePackage, diags *diagnostics) []File {
	if prog.colours == nil {
		prog.colourAll()
	}
	var files []File
	var analysis []*analysis
	for _, file := range p.files {
		if !file.owned {
			continue
		}
		var fns []*irFunc
		for _, fn := range file.async {
			prog.current = fn
			fns = append(fns, prog.compileWithLiterals(fn)...)
		}
		prog.current = nil
		if prog.opts.Analyze {
			for _, fn := range fns {
				analysis = append(analysis, prog.analyze(fn)) // before emit rewrites statements
			}
		}
		content, err := emitFile(prog, file, fns)
		if err != nil {
			panic(err)
		}
		files = append(files, File{Path: file.genPath, Content: content})
	}
	if !diags.failedIn(p.dir) {
		checked := prog.recheck(p, files)
		for _, a := range analysis {
			a.measure(checked)
			prog.analysis = append(prog.analysis, a.out)
		}
	}
	return files
}

// compileWithLiterals compiles fn and the literals in it. A literal whose frame
// cannot be made stays part of the function.
func (prog *program) compileWithLiterals(fn *asyncFunc) []*irFunc {
	col := prog.colours[fn]
	var inner []*irFunc
	for _, lit := range col.literals {
		irs := prog.compileWithLiterals(lit)
		if irs[0].plain {
			col.drop(lit)
			continue
		}
		inner = append(inner, irs...)
	}
	prog.current = fn
	if prog.opts.Analyze {
		prog.surveys[fn] = col.by.survey(fn, col) // before lower rewrites the syntax
	}
	return append([]*irFunc{prog.compileFunc(fn)}, inner...)
}

// compileFunc takes a function through the passes up to layout.
func (prog *program) compileFunc(fn *asyncFunc) *irFunc {
	ir := lowerFunc(prog, fn, prog.colours[fn], prog.recursive)
	if err := verify(ir); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, ir.dump(prog.fset)))
	}
	live(ir)
	layout(ir)
	return ir
}

// colourAll runs pass colour over all marked functions, and finds the frames
// that would contain themselves.
func (prog *program) colourAll() {
	prog.colours = map[*asyncFunc]*colours{}
	frames := map[*types.TypeName]*asyncFunc{}
	dynamic := map[*types.Package]dynamicMethods{}
	foreign := map[*types.Package]foreignCompanions{}
	var fns []*asyncFunc
	for _, p := range prog.packages {
		for _, file := range p.files {
			for _, fn := range file.async {
				fns = append(fns, fn)
				if obj, ok := p.pkg.Types.Scope().Lookup(fn.frameName).(*types.TypeName); ok {
					frames[obj] = fn
				}
			}
		}
	}
	prog.findYields(fns)
	for _, fn := range fns {
		prog.current = fn
		pkg := fn.file.pkg.pkg
		if dynamic[pkg.Types] == nil {
			dynamic[pkg.Types] = findDynamic(pkg.Types, prog.rt)
			foreign[pkg.Types] = findForeign(append([]*types.Package{prog.rt}, pkg.Types.Imports()...)...)
		}
		c := &colourer{prog: prog, info: pkg.TypesInfo, pkg: pkg.Types, frames: frames, dynamic: dynamic[pkg.Types], foreign: foreign[pkg.Types]}
		prog.colours[fn] = c.colour(fn)
	}
	prog.current = nil
	for i := 0; i < len(fns); i++ {
		fns = append(fns, prog.colours[fns[i]].literals...)
	}
	prog.findRecursion(fns)
}

// findRecursion finds the plans that lead from a function to one of the same
// strongly connected component of the graph of embedded frames (Tarjan 1972).
func (prog *program) findRecursion(fns []*asyncFunc) {
	prog.recursive = map[*plan]bool{}
	embedded := func(fn *asyncFunc) []*plan {
		var out []*plan
		for _, p := range prog.colours[fn].plans {
			if p.init && p.frame != nil {
				out = append(out, p)
			}
		}
		return out
	}
	index, low := map[*asyncFunc]int{}, map[*asyncFunc]int{}
	component := map[*asyncFunc]int{}
	var stack []*asyncFunc
	var visit func(*asyncFunc)
	visit = func(fn *asyncFunc) {
		index[fn] = len(index) + 1
		low[fn] = index[fn]
		stack = append(stack, fn)
		for _, p := range embedded(fn) {
			if index[p.frame] == 0 {
				visit(p.frame)
				low[fn] = min(low[fn], low[p.frame])
			} else if component[p.frame] == 0 {
				low[fn] = min(low[fn], index[p.frame])
			}
		}
		if low[fn] != index[fn] {
			return
		}
		i := slices.Index(stack, fn)
		for _, member := range stack[i:] {
			component[member] = index[fn]
		}
		stack = stack[:i]
	}
	for _, fn := range fns {
		if index[fn] == 0 {
			visit(fn)
		}
	}
	for _, fn := range fns {
		for _, p := range embedded(fn) {
			if component[fn] == component[p.frame] {
				prog.recursive[p] = true
			}
		}
	}
}

// recheck type-checks the package with its generated files in the place of the
// stubs, and returns it. What it finds is a bug in cogen.
func (prog *program) recheck(p *sourcePackage, files []File) *types.Package {
	known := map[string]*types.Package{}
	var visit func(*types.Package)
	visit = func(q *types.Package) {
		if known[q.Path()] == nil {
			known[q.Path()] = q
			for _, r := range q.Imports() {
				visit(r)
			}
		}
	}
	visit(p.pkg.Types)
	for _, q := range prog.support {
		visit(q)
	}
	delete(known, p.pkg.Types.Path())

	generated := map[string]bool{}
	var syntax []*ast.File
	parse := func(path string, src []byte) {
		f, err := parser.ParseFile(prog.fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			panic(fmt.Sprintf("the generated code does not parse: %v", err))
		}
		syntax = append(syntax, f)
	}
	for _, f := range files {
		generated[f.Path] = true
		prog.outputs[f.Path] = f.Content
	}
	// The passes have changed the syntax of the sources: parse them again. They come
	// first: what is legal should not depend on the order, but with recursive
	// types it may (https://go.dev/issue/73309).
	for _, f := range p.pkg.Syntax {
		file := prog.fset.File(f.FileStart)
		if generated[file.Name()] {
			continue
		}
		parse(file.Name(), prog.sources[file.Name()])
	}
	for _, f := range files {
		parse(f.Path, f.Content)
	}
	// A test variant needs what was generated for the package it extends.
	for _, file := range p.files {
		if content, ok := prog.outputs[file.genPath]; ok && !file.owned {
			parse(file.genPath, content)
		}
	}
	var first error
	config := types.Config{
		Sizes:     prog.sizes,
		GoVersion: p.goVersion(),
		Importer:  knownPackages(known),
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && first == nil && generated[prog.fset.Position(e.Pos).Filename] {
				first = err
			}
		},
	}
	checked, _ := config.Check(p.pkg.Types.Path(), prog.fset, syntax, nil)
	if first != nil {
		panic(fmt.Sprintf("the generated code does not type-check: %v%s", first, prog.excerpt(files, first)))
	}
	return checked
}

// excerpt returns the lines around an error in a generated file.
func (prog *program) excerpt(files []File, err error) string {
	pos := prog.fset.Position(err.(types.Error).Pos)
	for _, f := range files {
		if f.Path == pos.Filename {
			lines := strings.Split(string(f.Content), "\n")
			from, to := max(pos.Line-4, 0), min(pos.Line+3, len(lines))
			return "\n\t" + strings.Join(lines[from:to], "\n\t")
		}
	}
	return ""
}

// goVersion is the language version of the package's module.
func (p *sourcePackage) goVersion() string {
	if m := p.pkg.Module; m != nil && m.GoVersion != "" {
		return "go" + m.GoVersion
	}
	return ""
}

// knownPackages is an importer of packages that are loaded.
type knownPackages map[string]*types.Package

func (k knownPackages) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := k[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}
