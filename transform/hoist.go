package transform

// Declarations of constants and types.
//
// The blocks of Poll are labels at its top level, so that is where the
// declarations of all blocks go. Two constants of the same name, or a constant and
// something else that the function uses, are told apart by renaming:
//
//	const iota = iota      const iota2 = iota
//
// A type cannot be renamed, because programs can see its name.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// hoist moves a declaration of constants or types to the top of Poll.
func (l *lowerer) hoist(decl *ast.GenDecl) {
	renamed := false
	for _, spec := range decl.Specs {
		var names []*ast.Ident
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = []*ast.Ident{spec.Name}
		case *ast.ValueSpec:
			names = spec.Names
		}
		for _, id := range names {
			obj := l.info.Defs[id]
			if obj == nil || id.Name == "_" {
				continue
			}
			if name := l.fn.names.fresh(id.Name); name != id.Name {
				if _, ok := obj.(*types.TypeName); ok {
					l.refuse(codeLocalType, id.Pos(), "the local type %s has the name of something else that this function uses across an await point; rename it", id.Name)
				}
				l.fn.renamed[obj] = name
				renamed = true
			}
		}
	}
	if decl.Tok == token.CONST && renamed {
		l.repeatConstants(decl)
	}
	l.fn.decls = append(l.fn.decls, decl)
	l.lead = nil
}

// repeatConstants writes down the expressions that a declaration leaves to be
// repeated. What a repeated name means depends on where it is repeated:
//
//	const (
//		x = x + 1  // the x outside
//		y          // the x of the line above
//	)
//
// so once x is renamed the two need different text. For the same reason Info, which
// knows one meaning for each name, has that of the last repetition, and names are
// looked up again.
func (l *lowerer) repeatConstants(decl *ast.GenDecl) {
	scope := l.file.pkg.pkg.Types.Scope().Innermost(decl.Pos())
	c := &cloner{l.info}
	var typ ast.Expr
	var values []ast.Expr
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			typ, values = spec.Type, spec.Values
		}
		if typ != nil {
			spec.Type = c.clone(typ).(ast.Expr)
			l.lookUp(scope, spec.Type, spec.Pos())
		}
		spec.Values = nil
		for _, v := range values {
			v := c.clone(v).(ast.Expr)
			l.lookUp(scope, v, spec.Pos())
			spec.Values = append(spec.Values, v)
		}
	}
}

// lookUp records what the names in x mean at pos.
func (l *lowerer) lookUp(scope *types.Scope, x ast.Expr, pos token.Pos) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			l.lookUp(scope, n.X, pos)
			return false // what is selected is in no scope
		case *ast.Ident:
			if _, obj := scope.LookupParent(n.Name, pos); obj != nil {
				l.info.Uses[n] = obj
			}
		}
		return true
	})
}
