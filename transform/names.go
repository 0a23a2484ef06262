package transform

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// A nameSet gives out names that are not in use.
type nameSet struct {
	taken map[string]bool
	// scope, if any, is one whose names are in use as well. A package has too many
	// to copy them for each of its functions.
	scope *types.Scope
	// avoided are names that are not made up: a function literal may declare one
	// of them and mention, in its scope, what would be given it here.
	avoided map[string]bool
}

func newNameSet() *nameSet { return &nameSet{taken: map[string]bool{"_": true}} }

func (s *nameSet) reserve(names ...string) {
	for _, name := range names {
		s.taken[name] = true
	}
}

// fresh returns the first of the candidates that is free, or else the last of
// them with a number, and takes it.
func (s *nameSet) fresh(candidates ...string) string {
	for _, name := range candidates {
		if s.free(name) && !token.IsKeyword(name) {
			s.taken[name] = true
			return name
		}
	}
	base := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if name := base + strconv.Itoa(i); s.free(name) && !s.avoided[name] {
			s.taken[name] = true
			return name
		}
	}
}

// made returns a name for what only a few generated statements see. The user's syntax may
// stand among them, and mention a variable that keeps the name.
func (s *nameSet) made(name string) string {
	for base, i := name, 2; s.avoided[name] || !s.free(name); i++ {
		name = base + strconv.Itoa(i)
	}
	s.taken[name] = true
	return name
}

func (s *nameSet) free(name string) bool {
	return !s.taken[name] && (s.scope == nil || s.scope.Lookup(name) == nil)
}

// identifiers calls f for every identifier below n that a scope resolves:
// field and method names after a dot are left out.
func identifiers(n ast.Node, f func(*ast.Ident)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			identifiers(n.X, f)
			return false
		case *ast.Ident:
			f(n)
		}
		return true
	})
}

// typeNames returns the names of the package's types that the variables of the
// function have, temporaries included, and that generated code mentions for them.
func typeNames(info *types.Info, pkg *types.Package, decl ast.Node) []string {
	var names []string
	add := func(t types.Type) {
		anyType(t, func(t types.Type) bool {
			if obj := typeName(t); obj != nil && obj.Pkg() == pkg && obj.Parent() == pkg.Scope() {
				names = append(names, obj.Name())
			}
			return false
		})
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := info.ObjectOf(n).(*types.Var); ok {
				add(v.Type())
			}
		case *ast.SelectorExpr:
			// The receiver may be a field that is embedded.
			if m, ok := info.ObjectOf(n.Sel).(*types.Func); ok && m.Signature().Recv() != nil {
				add(m.Signature().Recv().Type())
			}
			add(info.TypeOf(n))
		case *ast.CaseClause:
			if v, ok := info.Implicits[n].(*types.Var); ok {
				add(v.Type())
			}
		case ast.Expr:
			add(info.TypeOf(n))
		}
		return true
	})
	return names
}

// outerNames returns the names that the function uses and that are declared
// outside it: a variable that moves to the top of Poll must not hide them.
func outerNames(info *types.Info, decl ast.Node) map[string]bool {
	outer := map[string]bool{}
	identifiers(decl, func(id *ast.Ident) {
		obj := info.Uses[id]
		if obj == nil {
			return
		}
		if v, ok := obj.(*types.Var); ok && v.IsField() {
			return
		}
		if parent := obj.Parent(); parent == nil || obj.Pos() < decl.Pos() || obj.Pos() >= decl.End() {
			outer[id.Name] = true
		}
	})
	return outer
}
