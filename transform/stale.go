package transform

// Generated files that stand in the way.
//
// What cogen generated before says nothing about what it should generate now,
// whatever has become of it: the package was renamed, a merge left its markers, an
// import is gone. Pass check never sees such a file. The go command, which lists the
// packages, does, and it has to be shown something else if it does not like what
// it sees.

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// isOwn reports whether the generated files of a package are made in this module or
// this run. Those of other modules' packages are taken as they are.
func isOwn(p *packages.Package, roots []*packages.Package) bool {
	return p.Module != nil && p.Module.Main || slices.Contains(roots, p)
}

// hideGenerated puts placeholders for generated files into the overlay of
// the go command, if it complained about anything that it listed. The
// complaint may be about another package than the one with the file, as in an
// import cycle, so that all are hidden. It reports whether there were any.
func (l *loader) hideGenerated(roots []*packages.Package) bool {
	complained := false
	dirs := make(map[string]bool)
	packages.Visit(roots, nil, func(p *packages.Package) {
		complained = complained || len(p.Errors) > 0
		if p.Dir != "" && isOwn(p, roots) {
			dirs[p.Dir] = true
		}
	})
	if !complained {
		return false
	}
	overlay := make(map[string][]byte)
	for dir := range dirs {
		l.hideIn(dir, overlay)
	}
	if len(overlay) == 0 {
		return false
	}
	merged := make(map[string][]byte)
	maps.Copy(merged, l.config.Overlay)
	maps.Copy(merged, overlay)
	l.config.Overlay = merged
	return true
}

// hideIn adds placeholders for the generated files in a folder to the overlay.
func (l *loader) hideIn(dir string, overlay map[string][]byte) {
	files := make(map[string]bool)
	entries, _ := os.ReadDir(dir) // it may be in the overlay only
	for _, entry := range entries {
		files[filepath.Join(dir, entry.Name())] = true
	}
	for path := range l.prog.opts.Overlay {
		if filepath.Dir(path) == dir {
			files[path] = true
		}
	}
	var generated []string
	for path := range files {
		if !strings.HasSuffix(path, ".go") {
			delete(files, path)
		} else if src, err := l.prog.read(path); err == nil && isOutput(path, src) {
			generated = append(generated, path)
		}
	}
	for _, path := range generated {
		l.hidden[dir] = true
		overlay[path] = l.placeholder(path, len(files) > len(generated))
	}
}

// isOutput reports whether a file is one that cogen wrote, by the name that it
// gave the file. One that was renamed since belongs to whoever did that.
func isOutput(path string, src []byte) bool {
	return isGenerated(src) && sourcePath(path) != ""
}

// placeholder returns what the go command sees in place of a generated file: the
// package clause of its source, with the build constraints above it. A
// file whose source is gone is left out, unless the folder has nothing else: it then
// has to remain a package for the file to be found and removed.
func (l *loader) placeholder(path string, others bool) []byte {
	src, err := l.prog.read(sourcePath(path))
	if err == nil {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", src, parser.PackageClauseOnly)
		if err == nil {
			return slices.Concat(src[:fset.Position(file.Name.End()).Offset], []byte("\n"))
		}
	}
	if others {
		return []byte("//go:build ignore\n\npackage p\n")
	}
	return []byte("package p\n")
}
