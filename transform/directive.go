package transform

// Pass directive.
//
// Input: a parsed file. Output: the functions, and the methods of interfaces, that
// are marked //cogen:async, and a diagnostic for every comment that looks like a directive of ours and does
// not do what its author meant.
//
// A directive is a line comment that starts with "//cogen:", without a space, as
// in https://go.dev/doc/comment#syntax. It belongs to a function if it stands in
// the comment directly above the declaration.

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

const (
	directivePrefix = "//cogen:"
	asyncDirective  = directivePrefix + "async"
)

// almostDirective matches comments that are no directive but were certainly meant
// as one: in another case, with a space too many, as a block comment, or with
// the colon missing. There must be nothing else in the comment, so that prose
// about directives stays prose.
var almostDirective = regexp.MustCompile(`(?i)^(//\s*cogen\s*[:\-]?\s*async|/\*\s*cogen\s*:\s*async\s*\*/|//\s*go:cogen[:\s]*async)\s*$`)

// markedFunctions returns the functions of the file that are marked as async, and
// the names of the marked methods of interfaces.
func markedFunctions(file *ast.File, diags *diagnostics) (marked []*ast.FuncDecl, methods []*ast.Ident) {
	above := make(map[*ast.Comment]*ast.FuncDecl)
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Doc != nil {
			for _, c := range decl.Doc.List {
				above[c] = decl
			}
		}
	}

	aboveMethod := interfaceMethods(file)
	seen := make(map[*ast.FuncDecl]bool)
	for _, group := range file.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, directivePrefix)
			if !ok {
				if almostDirective.MatchString(c.Text) {
					diags.report(codeMisspelt, c.Pos(), "this comment is not a directive: write %s, with no spaces and in lower case", asyncDirective)
				}
				continue
			}
			verb, args := rest, ""
			if i := strings.IndexAny(rest, " \t\r"); i >= 0 {
				verb, args = rest[:i], strings.TrimSpace(rest[i:])
			}
			if verb != "async" {
				if almostDirective.MatchString(c.Text) {
					diags.report(codeMisspelt, c.Pos(), "this comment is not a directive: write %s, with no spaces and in lower case", asyncDirective)
				} else {
					diags.report(codeUnknownDirective, c.Pos(), "unknown directive %s%s: cogen knows %s only", directivePrefix, verb, asyncDirective)
				}
				continue
			}
			if args != "" {
				diags.report(codeDirectiveArgument, c.Pos(), "%s takes no arguments: remove %q, or put it in a comment of its own", asyncDirective, args)
			}
			if method := aboveMethod[c]; method != nil {
				methods = append(methods, method)
				continue
			}
			decl := above[c]
			if decl == nil {
				diags.report(codeMisplaced, c.Pos(), "%s %s: put it directly above the declaration of a function or method, or remove it", asyncDirective, placeOf(file, group, c))
				continue
			}
			if !seen[decl] && canBeAsync(file, decl, c, diags) {
				marked = append(marked, decl)
			}
			seen[decl] = true
		}
	}
	return marked, methods
}

// interfaceMethods returns the names of the methods of interface types, by the
// comments above them.
func interfaceMethods(file *ast.File) map[*ast.Comment]*ast.Ident {
	above := make(map[*ast.Comment]*ast.Ident)
	ast.Inspect(file, func(n ast.Node) bool {
		t, ok := n.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, field := range t.Methods.List {
			if field.Doc != nil && len(field.Names) == 1 {
				for _, c := range field.Doc.List {
					above[c] = field.Names[0]
				}
			}
		}
		return true
	})
	return above
}

// canBeAsync reports, with the reason, a marked function that cannot have a
// companion.
func canBeAsync(file *ast.File, decl *ast.FuncDecl, directive *ast.Comment, diags *diagnostics) bool {
	name := decl.Name.Name
	reject := func(c *code, format string, args ...any) bool {
		d := diags.report(c, decl.Name.Pos(), format, args...)
		diags.relate(d, directive.Pos(), "marked here")
		return false
	}
	switch {
	case importsC(file):
		return reject(codeCgo, "%s is in a file that imports \"C\", which cogen cannot rewrite: move the function to a file without cgo", name)
	case decl.Body == nil:
		return reject(codeNoBody, "%s has no Go body that could be made async: mark a Go function, or write its companion %s by hand", name, companionName(name))
	case name == "_":
		return reject(codeNoName, "a function named _ cannot be called, so it cannot be async: name it, or remove the directive")
	case decl.Recv == nil && name == "init":
		return reject(codeInit, "init is called by the Go runtime and cannot be async: move its body to a function of another name, and call that")
	case decl.Recv == nil && name == "main" && file.Name.Name == "main":
		return reject(codeMain, "main is called by the Go runtime and cannot be async: move its body to a function such as run, mark that, and call rt.Run(runAsync()) from main")
	}
	return true
}

func importsC(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
}

// placeOf says where a directive stands that does not stand above a function.
func placeOf(file *ast.File, group *ast.CommentGroup, c *ast.Comment) string {
	if c.Pos() < file.Package {
		return "stands above the package clause"
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Pos() <= c.Pos() && c.Pos() < decl.End() {
				return "stands inside the function " + decl.Name.Name
			}
			if group.End() < decl.Pos() {
				return "is separated from the function " + decl.Name.Name + " below it"
			}
		case *ast.GenDecl:
			what := map[token.Token]string{token.TYPE: "a type", token.VAR: "a variable", token.CONST: "a constant", token.IMPORT: "an import"}[decl.Tok]
			if decl.Doc == group {
				return "stands above the declaration of " + what
			}
			if decl.Pos() <= c.Pos() && c.Pos() < decl.End() {
				return "stands inside the declaration of " + what
			}
			if group.End() < decl.Pos() {
				return "does not belong to a function"
			}
		}
	}
	return "does not belong to a function"
}
