package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/cogen-go/cogen/transform"
)

// unmarked says that what the target means is a function without a mark, with its
// position. It returns "" if there is no such function.
func (q *query) unmarked(t target, all []*transform.Function, patterns []string) string {
	files := []string{t.file}
	if t.file == "" {
		files = nil
		var dirs []string
		for _, pattern := range patterns {
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(q.dir, pattern)
			}
			dirs = append(dirs, pattern) // where nothing is if it is an import path
		}
		for _, fn := range all {
			if dir := filepath.Dir(fn.Pos.Filename); !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
		for _, dir := range dirs {
			found, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is fine
			files = append(files, found...)
		}
	}
	fset := token.NewFileSet()
	for _, path := range files {
		// What does not parse has been reported, or is none of this package's files.
		file, _ := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if file == nil || ast.IsGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil && len(fn.Recv.List) == 1 {
				name = receiverBase(fn.Recv.List[0].Type) + "." + name
			}
			from, to := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
			if t.name == name || t.name == "" && from <= t.line && t.line <= to {
				return fmt.Sprintf("%s: %s is not marked //cogen:async", q.position(fset.Position(fn.Name.Pos())), name)
			}
		}
	}
	return ""
}

// receiverBase returns the name of the type of a receiver.
func receiverBase(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return receiverBase(x.X)
	case *ast.IndexExpr:
		return receiverBase(x.X)
	case *ast.IndexListExpr:
		return receiverBase(x.X)
	}
	return "?"
}
