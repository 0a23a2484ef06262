package transform

// Pass check.
//
// Input: the parsed files of a package, its marked functions, and an importer.
// Output: types. Files that cogen generated before are not among the input; in
// their place the stubs of what it is about to generate are checked along.

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/types"
	"go/version"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// toolchainVersion is the language version of files that do not say theirs.
var toolchainVersion = version.Lang(runtime.Version())

// A unit is one package to type-check from source.
type unit struct {
	meta   *packages.Package
	files  []*parsedFile
	marked []*markedFunc
	// packageName returns the name of a package that the files import.
	packageName func(path string) string
	// root is set for a package of the run with marked functions. Others are
	// here for their declarations; the bodies of their functions are not checked.
	root bool
	// pkg is set for a unit with marked functions.
	pkg *sourcePackage
}

// check type-checks a unit and sets Types and the other such fields of its
// package. Errors are reported, except those in stubs.
func (prog *program) check(u *unit, imp types.Importer) {
	var syntax, all []*ast.File
	for _, file := range u.files {
		syntax = append(syntax, file.syntax)
		prog.sources[file.path] = file.src
	}
	all = slices.Clone(syntax)
	stubs := makeStubs(u.meta.PkgPath, u.meta.Name, u.packageName, u.files, u.marked)
	for _, file := range u.files {
		text, ok := stubs[file]
		if !ok {
			continue
		}
		// A copy of text that does not parse does not parse in the source
		// either; what could be parsed is good enough.
		f, _ := parser.ParseFile(prog.fset, generatedPath(file.path), text, parser.SkipObjectResolution)
		if f != nil {
			prog.stubs[prog.fset.File(f.FileStart)] = true
			all = append(all, f)
		}
	}

	info := &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
	sink := &typeErrors{prog: prog}
	conf := types.Config{
		Importer:         imp,
		Sizes:            prog.sizes,
		FakeImportC:      true,
		IgnoreFuncBodies: !u.root,
		Error:            sink.add,
	}
	if m := u.meta.Module; m != nil && m.GoVersion != "" {
		conf.GoVersion = "go" + m.GoVersion
	}
	pkg := types.NewPackage(u.meta.PkgPath, u.meta.Name)
	// The error is the first of those that sink has seen.
	_ = types.NewChecker(&conf, prog.fset, pkg, info).Files(all)
	u.meta.Types, u.meta.TypesInfo, u.meta.TypesSizes = pkg, info, prog.sizes
	u.meta.Fset, u.meta.Syntax = prog.fset, syntax
	u.meta.IllTyped = sink.failed || slices.ContainsFunc(u.files, func(f *parsedFile) bool { return f.broken })
	for _, file := range u.files {
		for _, name := range file.methods {
			if m, ok := info.Defs[name].(*types.Func); ok {
				prog.marksInterface[m] = true
			}
		}
	}
	if len(u.marked) > 0 {
		u.pkg = prog.sourcePackage(u)
	}
}

// typeErrors reports what the type checker finds.
type typeErrors struct {
	prog   *program
	failed bool
	// last is the diagnostic that a continuation belongs to.
	last *Diagnostic
}

func (s *typeErrors) add(err error) {
	e, ok := err.(types.Error)
	if !ok {
		return
	}
	inStub := s.prog.isStub(e.Pos)
	// The checker reports the other positions of an error as errors of their
	// own that start with a tab.
	if msg, ok := strings.CutPrefix(e.Msg, "\t"); ok {
		if s.last != nil && !inStub {
			s.prog.diags.relate(s.last, e.Pos, "%s", msg)
		}
		return
	}
	s.last = nil
	if inStub {
		return
	}
	s.failed = true
	s.last = s.prog.diags.report(codeSource, e.Pos, "%s", strings.TrimSpace(e.Msg))
}

// sourcePackage makes what the passes work on from a checked unit.
func (prog *program) sourcePackage(u *unit) *sourcePackage {
	p := &sourcePackage{pkg: u.meta, dir: u.meta.Dir}
	files := make(map[*parsedFile]*sourceFile)
	for _, m := range u.marked {
		obj, ok := u.meta.TypesInfo.Defs[m.decl.Name].(*types.Func)
		if !ok {
			continue // redeclared, which has been reported
		}
		file := files[m.file]
		if file == nil {
			file = &sourceFile{
				pkg:             p,
				syntax:          m.file.syntax,
				src:             m.file.src,
				path:            m.file.path,
				genPath:         generatedPath(m.file.path),
				goVersion:       cmp.Or(u.meta.TypesInfo.FileVersions[m.file.syntax], toolchainVersion),
				buildConstraint: buildConstraint(m.file.syntax),
			}
			if u.root && !prog.owned[file.path] {
				prog.owned[file.path] = true
				file.owned = true
			}
			files[m.file] = file
		}
		f := &asyncFunc{
			file:      file,
			decl:      m.decl,
			obj:       obj,
			name:      m.name,
			frameName: m.frameName,
			asyncName: m.asyncName,
			recv:      m.recv.base,
			detached:  m.detached,
			dynamic:   m.dynamic,
			recovers:  callsRecover(m.decl.Body),
			bodyStart: m.decl.Body.Pos(),
			bodyEnd:   m.decl.Body.End(),
		}
		file.async = append(file.async, f)
		prog.funcs[obj] = f
	}
	p.files = slices.SortedFunc(maps.Values(files), func(a, b *sourceFile) int { return strings.Compare(a.path, b.path) })
	return p
}

// checkFiles makes a program of one package from the text of its files, without
// the go command.
func checkFiles(opts Options, pkgPath string, files map[string]string, imp types.Importer) *program {
	prog := newProgram(opts)
	meta := &packages.Package{
		ID:      pkgPath,
		PkgPath: pkgPath,
		Dir:     "/src",
		Name:    "p",
		Module:  &packages.Module{GoVersion: strings.TrimPrefix(toolchainVersion, "go")},
	}
	u := &unit{meta: meta, root: true}
	u.packageName = func(path string) string {
		if pkg, err := imp.Import(path); err == nil {
			return pkg.Name()
		}
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if isGenerated([]byte(files[name])) {
			continue
		}
		if file := parseFile(prog.fset, filepath.Join(meta.Dir, name), []byte(files[name]), prog.diags, prog.diags); file != nil {
			u.files = append(u.files, file)
			meta.Name = file.syntax.Name.Name
		}
	}
	u.marked = mark(u.files, opts.All, prog.diags)
	prog.rt, _ = imp.Import(rtPath)
	var support []*types.Package
	for _, path := range append([]string{rtPath}, supportPaths...) {
		if pkg, err := imp.Import(path); err == nil {
			support = append(support, pkg)
		}
	}
	prog.setSupport(support)
	prog.check(u, imp)
	if u.pkg != nil {
		prog.packages = append(prog.packages, u.pkg)
	}
	return prog
}
