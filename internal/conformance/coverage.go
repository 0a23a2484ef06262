package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
)

// A coverage says how much of a program runs as state machines. Without it a cogen
// that does nothing would do perfectly.
type coverage struct {
	Functions int `json:"functions"` // with a body, and function literals
	Frames    int `json:"frames"`
}

// countFunctions counts the functions and function literals of a source.
func countFunctions(source []byte) int {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		switch f := node.(type) {
		case *ast.FuncLit:
			n++
		case *ast.FuncDecl:
			if f.Body != nil {
				n++
			}
		}
		return true
	})
	return n
}

// pollMethod is the beginning of the method that each generated frame has.
var pollMethod = regexp.MustCompile(`(?m)^func \([^)]*\) Poll\(`)

// countFrames counts the frames that an overlay adds to a folder.
func (f *overlayFile) countFrames(folder string) int {
	n := 0
	for path, by := range f.Replace {
		if filepath.Dir(path) != folder {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			continue // it replaces a source
		}
		if text, err := os.ReadFile(by); err == nil {
			n += len(pollMethod.FindAll(text, -1))
		}
	}
	return n
}
