package transform

// Predeclared identifiers.
//
// Generated code mentions some of them: bool, new, true... A function's own
// variables of such names are renamed (see chooseNames). What the package declares
// cannot be, so there the names of package rt/predeclared are used:
//
//	func len() {}      n := predeclared.Len(list)

import (
	"go/ast"
	"go/types"
	"strings"
)

const predeclaredPath = rtPath + "/predeclared"

// declared reports whether the package declares a predeclared name itself.
func (s *typeSpeller) declared(name string) bool { return s.pkg.Scope().Lookup(name) != nil }

// predeclared returns the syntax of a predeclared type or constant.
func (s *typeSpeller) predeclared(name string) ast.Expr {
	if !s.declared(name) {
		return ast.NewIdent(name)
	}
	return qualified(predeclaredPath, exportedName(name))
}

// exportedName is the name that package rt/predeclared has for a predeclared name.
func exportedName(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// newOf returns the syntax of new(t).
func (s *typeSpeller) newOf(t types.Type) ast.Expr {
	if !s.declared("new") {
		return call(ast.NewIdent("new"), s.spell(t))
	}
	return call(s.instance(qualified(predeclaredPath, "New"), []types.Type{t}))
}

// nilOf returns the syntax of the nil of type t.
func (s *typeSpeller) nilOf(t types.Type) ast.Expr {
	if !s.declared("nil") {
		return ast.NewIdent("nil")
	}
	return &ast.StarExpr{X: s.newOf(t)}
}

// length returns the syntax of len(x) for x of type t, a slice or string.
func (s *typeSpeller) length(x ast.Expr, t types.Type) ast.Expr {
	switch {
	case !s.declared("len"):
		return call(ast.NewIdent("len"), x)
	case types.Identical(t, types.Typ[types.String]):
		return call(qualified(predeclaredPath, "LenString"), x)
	}
	return call(qualified(predeclaredPath, "Len"), x)
}
