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

	"golang.org/x/tools/go/ast/astutil"
)

// hoist moves a declaration of constants or types to the top of Poll.
func (l *lowerer) hoist(decl *ast.GenDecl) {
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
			}
		}
	}
	l.withoutVariables(decl)
	l.fn.decls = append(l.fn.decls, decl)
	l.lead = nil
}

// withoutVariables replaces the constants in a declaration that mention variables,
// which are not declared yet where the declaration goes:
//
//	const n = len(array)      const n = int(10)
func (l *lowerer) withoutVariables(decl *ast.GenDecl) {
	mentions := func(x ast.Node) bool {
		found := false
		ast.Inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				v, ok := l.info.Uses[id].(*types.Var)
				found = found || ok && !v.IsField() && v.Parent() != l.file.pkg.pkg.Types.Scope()
			}
			return !found
		})
		return found
	}
	astutil.Apply(decl, func(c *astutil.Cursor) bool {
		x, ok := c.Node().(*ast.CallExpr)
		if !ok {
			return true
		}
		tv := l.info.Types[x]
		if tv.Value == nil || l.info.Types[x.Fun].IsType() || !mentions(x) {
			return true
		}
		value := &ast.BasicLit{Kind: token.INT, Value: tv.Value.ExactString()}
		c.Replace(call(l.spell.spell(tv.Type), value))
		return false
	}, nil)
}

// repeatConstants writes down the expressions that a declaration of constants in x
// leaves to be repeated, if a name in them has another meaning when it is repeated:
//
//	const (
//		x = x + 1  // the x outside
//		y          // the x of the line above
//	)
//
// If one of the two is renamed, they need different text. And Info, which knows one
// meaning for each name, has the last.
func (l *lowerer) repeatConstants(x ast.Node) {
	ast.Inspect(x, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			l.repeatIn(decl)
		}
		return true
	})
}

func (l *lowerer) repeatIn(decl *ast.GenDecl) {
	scope := l.file.pkg.pkg.Types.Scope().Innermost(decl.Pos())
	c := &cloner{l.info}
	var first *ast.ValueSpec // the one that is repeated
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			first = spec
			continue
		}
		differs := false
		l.names(first, func(id *ast.Ident) {
			_, a := scope.LookupParent(id.Name, first.Pos())
			_, b := scope.LookupParent(id.Name, spec.Pos())
			differs = differs || a != b
		})
		if differs {
			l.resolve(first, scope)
			if first.Type != nil {
				spec.Type = c.clone(first.Type).(ast.Expr)
			}
			for _, v := range first.Values {
				spec.Values = append(spec.Values, c.clone(v).(ast.Expr))
			}
			l.resolve(spec, scope)
			first = spec
		}
	}
}

// resolve records what the names that a spec uses mean there.
func (l *lowerer) resolve(spec *ast.ValueSpec, scope *types.Scope) {
	l.names(spec, func(id *ast.Ident) {
		if _, obj := scope.LookupParent(id.Name, spec.Pos()); obj != nil {
			l.info.Uses[id] = obj
		}
	})
}

// names calls f for the names that a spec uses; what is selected from something is
// in no scope.
func (l *lowerer) names(spec *ast.ValueSpec, f func(*ast.Ident)) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			f(n)
		}
		return true
	}
	if spec.Type != nil {
		ast.Inspect(spec.Type, visit)
	}
	for _, v := range spec.Values {
		ast.Inspect(v, visit)
	}
}
