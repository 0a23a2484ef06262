package transform

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
)

// A parsedFile is a file as it is read, once for all packages that have it.
type parsedFile struct {
	path   string
	src    []byte
	syntax *ast.File
	base   token.Pos
	// broken is set if the syntax is not that of Go, and syntax what could be
	// made of it.
	broken bool
	// marked are the functions marked as async.
	marked []*ast.FuncDecl
	// methods are the names of the methods of interfaces marked as async.
	methods []*ast.Ident
}

// parseFile parses a file and finds its marked functions. What is wrong with the
// syntax and with the directives is reported; a file of which nothing could be
// made is nil.
func parseFile(fset *token.FileSet, path string, src []byte, syntaxDiags, directiveDiags *diagnostics) *parsedFile {
	syntax, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		for _, e := range list {
			syntaxDiags.reportAt(codeSource, e.Pos, "%s", e.Msg)
		}
		// What the parser made of the rest is no ground for more.
		directiveDiags = &diagnostics{fset: fset}
	}
	if syntax == nil || !syntax.Package.IsValid() {
		return nil
	}
	file := &parsedFile{path: path, src: src, syntax: syntax, base: syntax.FileStart, broken: err != nil}
	file.marked, file.methods = markedFunctions(syntax, directiveDiags)
	return file
}

// mentionsDirective reports whether a file may have a directive, so that most
// files need not be parsed.
func mentionsDirective(src []byte) bool {
	i := bytes.Index(bytes.ToLower(src), []byte("cogen"))
	return i >= 0
}

// text returns the source text of a node.
func (f *parsedFile) text(n ast.Node) string {
	return string(f.src[n.Pos()-f.base : n.End()-f.base])
}

// buildConstraint returns the //go:build line of a file, "" if it has none. What
// the name of the file implies is not in it: the name of the generated file
// implies the same.
func buildConstraint(file *ast.File) string {
	for _, group := range file.Comments {
		if group.Pos() >= file.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				return c.Text
			}
		}
	}
	return ""
}
