package golden

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
)

const directive = "//cogen:async"

// mixedSources returns the sources of all packages in which every second
// annotated function lost its annotation, so that frames call plain functions
// that await, and the other way round. parity chooses which half stays. The
// entry point keeps its annotation: the program starts there. The result maps
// absolute paths to texts, for the files that changed.
func mixedSources(cases []*goldenCase, parity int) map[string][]byte {
	overlay := make(map[string][]byte)
	for _, c := range cases {
		if c.program() == nil {
			continue
		}
		n := 0
		for _, p := range c.packages {
			for _, src := range p.sources {
				text, changed := stripEverySecond(src, &n, parity)
				if changed {
					overlay[src.path] = text
				}
			}
		}
	}
	return overlay
}

// stripEverySecond blanks directives in place, so that positions stay.
func stripEverySecond(src *sourceFile, n *int, parity int) (text []byte, changed bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, src.path, src.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src.text, false
	}
	text = bytes.Clone(src.text)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil || fn.Name.Name == "work" {
			continue
		}
		for _, comment := range fn.Doc.List {
			if comment.Text != directive {
				continue
			}
			if *n%2 == parity {
				at := fset.Position(comment.Pos()).Offset
				copy(text[at:], bytes.Repeat([]byte("/"), len(directive)))
				changed = true
			}
			*n++
		}
	}
	return text, changed
}
