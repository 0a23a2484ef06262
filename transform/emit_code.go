package transform

// Syntax to code: the user's statements with their variables renamed, as
// jennifer code with their imports.

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"golang.org/x/tools/go/ast/astutil"
)

// qualified returns path.name. The package is a placeholder, an identifier that
// no source contains; code turns it into jennifer's Qual, which knows the file's
// imports.
func qualified(path, name string) ast.Expr {
	return &ast.SelectorExpr{X: ast.NewIdent(placeholder(path)), Sel: ast.NewIdent(name)}
}

func placeholder(path string) string {
	return "\u02ac" + hex.EncodeToString([]byte(path)) + "\u02ac"
}

var placeholders = regexp.MustCompile("\u02ac([0-9a-f]+)\u02ac\\.([\\pL_][\\pL_\\p{Nd}]*)")

// render returns the source text of n as jennifer code.
func render(fset *token.FileSet, n ast.Node, comments []*ast.CommentGroup) *jen.Statement {
	var buf bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	node := any(n)
	if len(comments) > 0 {
		node = &printer.CommentedNode{Node: n, Comments: comments}
	}
	if err := config.Fprint(&buf, fset, node); err != nil {
		panic(fmt.Sprintf("printing %T: %v", n, err))
	}
	return splitQualified(buf.String())
}

// splitQualified turns the placeholders in text into qualified names.
func splitQualified(text string) *jen.Statement {
	s := &jen.Statement{}
	at := 0
	for _, m := range placeholders.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			s.Op(text[at:m[0]])
		}
		path, err := hex.DecodeString(text[m[2]:m[3]])
		if err != nil {
			panic(err)
		}
		s.Qual(string(path), text[m[4]:m[5]])
		at = m[1]
	}
	if at < len(text) {
		s.Op(text[at:])
	}
	return s
}

// A namer renames the variables in the statements of a function.
type namer struct {
	fn  *irFunc
	pkg *types.Package
}

// stmt returns s with the names of Poll. Variables that function literals in it
// capture are copied in front of it: the Poll variable changes when its
// declaration runs again, or when the frame resumes.
func (r *namer) stmt(s ast.Stmt) ast.Stmt {
	captured := r.captured(s)
	holder := &ast.BlockStmt{List: []ast.Stmt{s}}
	r.apply(holder)
	if len(captured) == 0 {
		return holder.List[0]
	}
	var copies []ast.Stmt
	for _, v := range captured {
		copies = append(copies, define(v.name, r.self(v)))
	}
	if inner, ok := holder.List[0].(*ast.BlockStmt); ok && !declares(inner, captured) {
		return &ast.BlockStmt{List: append(copies, inner.List...)}
	}
	return &ast.BlockStmt{List: append(copies, holder.List...)}
}

// declares reports whether a block declares a variable with the name of one of vars.
func declares(block *ast.BlockStmt, vars []*irVar) bool {
	found := false
	declared := func(id *ast.Ident) {
		found = found || slices.ContainsFunc(vars, func(v *irVar) bool { return v.name == id.Name })
	}
	for _, s := range block.List {
		for labeled, ok := s.(*ast.LabeledStmt); ok; labeled, ok = s.(*ast.LabeledStmt) {
			s = labeled.Stmt
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, x := range s.Lhs {
					declared(x.(*ast.Ident))
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						declared(id)
					}
				case *ast.TypeSpec:
					declared(spec.Name)
				}
			}
		}
	}
	return found
}

// expr is stmt for an expression, which has no function literal.
func (r *namer) expr(x ast.Expr) ast.Expr {
	holder := &ast.ExprStmt{X: x}
	r.apply(holder)
	return holder.X
}

// captured returns the variables that function literals in s mention.
func (r *namer) captured(s ast.Stmt) []*irVar {
	var out []*irVar
	live := &liveness{fn: r.fn, info: r.fn.info}
	ast.Inspect(s, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v := live.of(id); v != nil && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
			return true
		})
		return false
	})
	slices.SortFunc(out, func(a, b *irVar) int { return a.index - b.index })
	return out
}

// self returns the place of the Poll variable of v.
func (r *namer) self(v *irVar) ast.Expr {
	if v.resident {
		return sel(ast.NewIdent(r.fn.frameVar), r.fn.fieldOf(v))
	}
	return ast.NewIdent(v.name)
}

// fieldOf returns the field of a resident variable.
func (fn *irFunc) fieldOf(v *irVar) string {
	for _, res := range fn.results {
		if res.v == v {
			return res.field
		}
	}
	panic("not a result: " + v.name)
}

// apply renames the identifiers below n in place.
func (r *namer) apply(n ast.Node) {
	live := &liveness{fn: r.fn, info: r.fn.info}
	lits := 0
	// place returns what stands for v, without dereferencing a box.
	place := func(v *irVar, pos token.Pos) ast.Expr {
		if v.resident && lits == 0 {
			return r.self(v)
		}
		id := ast.NewIdent(v.name)
		id.NamePos = pos
		return id
	}
	// boxedOperand returns the boxed variable that x is.
	boxedOperand := func(x ast.Expr) (*irVar, *ast.Ident) {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok || r.fn.raw[id] != nil {
			return nil, nil
		}
		v := live.of(id)
		if v == nil || !v.boxed {
			return nil, nil
		}
		return v, id
	}
	calls := make(map[*ast.SliceExpr]func(*ast.SliceExpr) ast.Expr)
	pre := func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			lits++
		case *ast.UnaryExpr:
			if v, id := boxedOperand(n.X); v != nil && n.Op == token.AND {
				c.Replace(place(v, id.Pos()))
				return false
			}
		case *ast.IndexExpr:
			if v, id := boxedOperand(n.X); v != nil && isArray(v.obj.Type()) {
				n.X = place(v, id.Pos())
			}
		case *ast.SliceExpr:
			if r.boundChanges(n) {
				calls[n] = r.sliceCall(n)
			}
			if v, id := boxedOperand(n.X); v != nil && isArray(v.obj.Type()) {
				n.X = place(v, id.Pos())
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if pkg, ok := r.fn.info.Uses[id].(*types.PkgName); ok {
					id.Name = placeholder(pkg.Imported().Path())
					delete(r.fn.info.Uses, id)
					return false
				}
			}
			if v, id := boxedOperand(n.X); v != nil && r.fn.info.Selections[n] != nil && autoDeref(v.obj.Type()) {
				n.X = place(v, id.Pos())
			}
		case *ast.BranchStmt:
			if b := r.fn.gotos[n]; b != nil {
				n.Label.Name = b.label
			}
			return false
		case *ast.Ident:
			if sel, ok := c.Parent().(*ast.SelectorExpr); ok && sel.Sel == n {
				return false // a field or a method
			}
			if v := r.fn.raw[n]; v != nil {
				c.Replace(place(v, n.Pos()))
				return false
			}
			if v := live.of(n); v != nil {
				x := place(v, n.Pos())
				if v.boxed {
					star := &ast.StarExpr{Star: n.Pos(), X: x}
					if needsParens(c) {
						c.Replace(&ast.ParenExpr{Lparen: n.Pos(), X: star, Rparen: n.End()})
					} else {
						c.Replace(star)
					}
					return false
				}
				c.Replace(x)
				return false
			}
			obj := r.fn.info.ObjectOf(n)
			if name, ok := r.fn.renamed[obj]; ok && obj != nil {
				n.Name = name
			} else if dotImported(obj, r.pkg) {
				x := qualified(obj.Pkg().Path(), n.Name)
				c.Replace(x)
				return false
			}
		}
		return true
	}
	post := func(c *astutil.Cursor) bool {
		if isFuncLit(c.Node()) {
			lits--
		}
		if n, ok := c.Node().(*ast.SliceExpr); ok && calls[n] != nil {
			c.Replace(calls[n](n))
		}
		return true
	}
	astutil.Apply(n, pre, post)
}

// isArray and autoDeref report whether an operator accepts a pointer to a t in
// the place of a t.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	_, param := types.Unalias(t).(*types.TypeParam)
	return ok && !param
}

func autoDeref(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return false
	}
	return true
}

// needsParens reports whether *x would read otherwise in the place of x.
func needsParens(c *astutil.Cursor) bool {
	switch parent := c.Parent().(type) {
	case *ast.SelectorExpr, *ast.TypeAssertExpr:
		return true
	case *ast.IndexExpr:
		return parent.X == c.Node()
	case *ast.SliceExpr:
		return parent.X == c.Node()
	case *ast.CallExpr:
		return parent.Fun == c.Node()
	}
	return false
}

// dotImported reports whether obj comes from another package without a
// qualifier.
func dotImported(obj types.Object, pkg *types.Package) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg() != pkg && obj.Parent() == obj.Pkg().Scope()
}

// commentText is a comment group on one line, for behind a statement.
func commentText(groups []*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		for _, c := range g.List {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, " ")
}
