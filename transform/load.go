package transform

// Pass load.
//
// Input: patterns. Output: the packages that have marked functions, with types.
//
// The go command is asked twice. The first time lists the packages of the run,
// their files and what they import, without compiling anything; the files that
// mention a directive are parsed. It lists them once more without the generated
// files if one of those may stand in the way (stale.go). The second time loads, from
// export data, the types of what the packages with marked functions import. Those
// packages themselves are checked here, from source, since they contain names that do
// not exist yet (pass check). So are packages with generated files but no marked
// functions any more, and packages that stand between two others, so that there is
// one object for each declaration:
//
//	a (marked) -> b -> c (marked)      a, b and c from source
//	a -> d, c -> e                     d and e from export data

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A loader is the state of load.
type loader struct {
	prog   *program
	config packages.Config
	parsed map[string]*parsedFile
	// all has the files whose functions are all marked.
	all map[string]bool
	// generated has the packages that were found to have generated files, and
	// hidden the folders where such files are hidden from the go command.
	generated map[*packages.Package]bool
	hidden    map[string]bool
	// marksMethods has the packages with marked methods of interfaces.
	marksMethods map[*packages.Package]bool
	// units are the packages to check from source.
	units map[*packages.Package]*unit
	// external has the types of all other packages that the units import.
	external map[string]*types.Package
}

// load loads the packages that match the patterns.
func load(ctx context.Context, opts Options, patterns []string) (*program, error) {
	prog := newProgram(opts)
	l := &loader{
		prog: prog,
		config: packages.Config{
			Context:    ctx,
			Dir:        opts.Dir,
			Env:        opts.Env,
			BuildFlags: opts.BuildFlags,
			Fset:       prog.fset,
			Overlay:    opts.Overlay,
		},
		parsed:       make(map[string]*parsedFile),
		all:          make(map[string]bool),
		generated:    make(map[*packages.Package]bool),
		hidden:       make(map[string]bool),
		marksMethods: make(map[*packages.Package]bool),
		units:        make(map[*packages.Package]*unit),
		external:     make(map[string]*types.Package),
	}
	roots, err := l.list(patterns)
	if err != nil {
		return nil, err
	}
	if l.hideGenerated(roots) {
		if roots, err = l.list(patterns); err != nil {
			return nil, err
		}
	}
	if err := l.checkRoots(roots); err != nil {
		return nil, err
	}
	marked, err := l.findMarked(roots)
	if err != nil || len(marked) == 0 {
		return prog, err
	}
	order, err := l.chooseUnits(roots, marked)
	if err != nil {
		return nil, err
	}
	if err := l.loadExternal(order); err != nil {
		return nil, err
	}
	for _, u := range order {
		prog.check(u, unitImporter{l, u})
	}
	l.collect(order)
	return prog, nil
}

// list lists the packages of the run and all that they import.
func (l *loader) list(patterns []string) ([]*packages.Package, error) {
	config := l.config
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedModule | packages.NeedForTest | packages.NeedTypesSizes
	config.Tests = l.prog.opts.Tests
	roots, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, goCommandError(err)
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	// A package comes before its test variants, and so owns the files that
	// they have in common.
	slices.SortStableFunc(roots, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return roots, nil
}

// checkRoots returns an error if one of the packages of the run has nothing to work
// on.
func (l *loader) checkRoots(roots []*packages.Package) error {
	for _, p := range roots {
		if len(p.GoFiles) == 0 && len(p.Errors) > 0 {
			return errors.New(p.Errors[0].Msg)
		}
		if p.TypesSizes != nil {
			l.prog.sizes = p.TypesSizes
		}
	}
	return nil
}

// goCommandError returns what the go command says, if err is that it failed, without
// what package packages says about how it was run.
func goCommandError(err error) error {
	if _, stderr, ok := strings.Cut(err.Error(), ": stderr: "); ok {
		return errors.New(strings.TrimSpace(stderr))
	}
	return err
}

// findMarked returns the packages of the run that have a directive.
func (l *loader) findMarked(roots []*packages.Package) ([]*packages.Package, error) {
	var marked []*packages.Package
	for _, p := range roots {
		if p.Dir != "" && !slices.Contains(l.prog.dirs, p.Dir) {
			l.prog.dirs = append(l.prog.dirs, p.Dir)
		}
		for _, path := range p.GoFiles {
			l.prog.known[path] = true
			if l.prog.opts.All {
				l.all[path] = true
			}
		}
		has, err := l.hasMarked(p, l.prog.diags)
		if err != nil {
			return nil, err
		}
		if has {
			marked = append(marked, p)
		}
	}
	return marked, nil
}

// hasMarked reports whether a package has marked functions. It parses only the files
// that may.
func (l *loader) hasMarked(p *packages.Package, diags *diagnostics) (bool, error) {
	has := false
	for _, path := range p.GoFiles {
		if file, ok := l.parsed[path]; ok {
			has = has || file != nil && len(file.marked) > 0
			continue
		}
		src, err := l.prog.read(path)
		if err != nil {
			return false, err
		}
		if isOutput(path, src) {
			l.generated[p] = true
		}
		if !isGenerated(src) && (l.all[path] || mentionsDirective(src)) {
			file := l.parse(path, src, diags)
			has = has || file != nil && len(file.marked) > 0
			if file != nil && len(file.methods) > 0 {
				l.marksMethods[p] = true
			}
		}
	}
	return has, nil
}

// parse parses a file once. What its directives have wrong goes to diags, since it
// does not matter in a package that is only imported.
func (l *loader) parse(path string, src []byte, diags *diagnostics) *parsedFile {
	if file, ok := l.parsed[path]; ok {
		return file
	}
	file := parseFile(l.prog.fset, path, src, l.prog.diags, diags)
	if file != nil && l.all[path] {
		file.marked = everyFunction(file.syntax, l.prog.opts.Mixed)
	}
	l.parsed[path] = file
	return file
}

// chooseUnits decides what is checked from source, and returns it in order of
// imports.
func (l *loader) chooseUnits(roots, marked []*packages.Package) ([]*unit, error) {
	var order []*unit
	unreported := &diagnostics{fset: l.prog.fset}
	fromSource := make(map[*packages.Package]bool)
	var visit func(p *packages.Package) (bool, error)
	visit = func(p *packages.Package) (bool, error) {
		if source, ok := fromSource[p]; ok {
			return source, nil
		}
		root := slices.Contains(roots, p)
		diags := unreported
		if root {
			diags = l.prog.diags
		}
		has, own := false, isOwn(p, roots)
		if own {
			var err error
			if has, err = l.hasMarked(p, diags); err != nil {
				return false, err
			}
		}
		// Without marked functions, generated files are stale, and export data
		// would be made with them.
		stale := own && !has && (l.generated[p] || l.hidden[p.Dir])
		source := has || stale || l.marksMethods[p] || p.ForTest != "" || l.overlaid(p)
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			dep, err := visit(p.Imports[path])
			if err != nil {
				return false, err
			}
			source = source || dep
		}
		fromSource[p] = source
		if source {
			u, err := l.newUnit(p, root, has, diags)
			if err != nil {
				return false, err
			}
			l.units[p] = u
			order = append(order, u)
		}
		return source, nil
	}
	for _, p := range marked {
		if _, err := visit(p); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// overlaid reports whether the files of a package are not those that export data was
// made from.
func (l *loader) overlaid(p *packages.Package) bool {
	return slices.ContainsFunc(p.GoFiles, func(path string) bool {
		_, ok := l.prog.opts.Overlay[path]
		return ok
	})
}

func (l *loader) newUnit(p *packages.Package, root, marked bool, diags *diagnostics) (*unit, error) {
	u := &unit{meta: p, root: root && marked}
	u.packageName = func(path string) string {
		if imported := p.Imports[path]; imported != nil {
			return imported.Name
		}
		return ""
	}
	for _, path := range p.GoFiles {
		src, err := l.prog.read(path)
		if err != nil {
			return nil, err
		}
		// What was generated before gives way to the stubs, if there are any.
		if isGenerated(src) && (marked || l.generated[p]) {
			continue
		}
		if file := l.parse(path, src, diags); file != nil {
			u.files = append(u.files, file)
		}
	}
	if marked {
		u.marked = mark(u.files, l.prog.opts.All, diags)
	}
	return u, nil
}

// collect puts the packages that have something to compile into the program.
func (l *loader) collect(order []*unit) {
	l.prog.rt, _ = l.runtime()
	l.prog.setSupport(l.support())
	for _, u := range order {
		for _, e := range u.meta.Errors {
			l.reportListError(u, e)
		}
		l.checkOutputs(u)
		if u.pkg != nil && slices.ContainsFunc(u.pkg.files, func(f *sourceFile) bool { return f.owned }) {
			l.prog.packages = append(l.prog.packages, u.pkg)
		}
	}
}

// checkOutputs reports generated files whose place is taken by something else.
func (l *loader) checkOutputs(u *unit) {
	if u.pkg == nil {
		return
	}
	for _, file := range u.pkg.files {
		if !file.owned {
			continue
		}
		old, err := l.prog.read(file.genPath)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			reportUnwritable(l.prog.diags, file.genPath, err)
		case !isGenerated(old):
			d := l.prog.diags.report(codeFileTaken, file.async[0].decl.Name.Pos(),
				"the frame of %s would be written to %s, which cogen did not generate: rename or remove that file",
				file.async[0].name, filepath.Base(file.genPath))
			d.Related = append(d.Related, Related{token.Position{Filename: file.genPath}, "this file"})
		}
	}
}

// reportListError reports what the go command says about a package with marked
// functions, unless it is about a file that has been reported on already.
func (l *loader) reportListError(u *unit, e packages.Error) {
	if !u.root || e.Kind == packages.ParseError && l.prog.diags.failedIn(u.meta.Dir) {
		return
	}
	pos := parsePosition(e.Pos, l.prog.opts.Dir)
	if !pos.IsValid() && len(u.files) > 0 {
		pos = l.prog.fset.Position(u.files[0].syntax.Package)
	}
	l.prog.diags.reportAt(codeSource, pos, "%s", firstLine(e.Msg))
}

// parsePosition parses file:line:column as the go command prints it.
func parsePosition(s, dir string) token.Position {
	var pos token.Position
	rest, column, ok := cutLast(s)
	if !ok {
		return pos
	}
	if file, line, ok := cutLast(rest); ok {
		pos = token.Position{Filename: file, Line: line, Column: column}
	} else {
		pos = token.Position{Filename: rest, Line: column}
	}
	if !filepath.IsAbs(pos.Filename) {
		pos.Filename = filepath.Join(dir, pos.Filename)
	}
	return pos
}

// cutLast cuts the number after the last colon off s.
func cutLast(s string) (string, int, bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:max(i, 0)], n, err == nil
}

// firstLine returns the first line of what the go command says, without the heading
// that names the package.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			return line
		}
	}
	return s
}
