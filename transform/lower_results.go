package transform

// Assignments to several variables of which one is a result, in a function with defers.
//
// If an operand on the right side panics and a deferred call recovers, the function
// returns its results as they were before the statement. gc takes care of that: once it
// has assigned to a result it evaluates no operand any more (deferResultWrite in
// cmd/compile/internal/walk/assign.go, https://go.dev/issue/43835). But for it the
// result of a frame is just some field, and it evaluates between two assignments what
// cannot read that:
//
//	ok, n = true, a / b
//
//	f.ok, f.n = func(v0 bool, v1 int) (bool, int) { return v0, v1 }(true, a / b)
//
// The arguments of a call are evaluated in the order in which the operands are.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// afterOperands makes s, which assigns values of the types to its places, evaluate all of
// its operands before it assigns.
func (l *lowerer) afterOperands(s *ast.AssignStmt, placeTypes []types.Type) {
	if !l.fn.defers || s.Tok != token.ASSIGN || len(s.Rhs) < 2 || !slices.ContainsFunc(s.Rhs[1:], l.faultsLate) {
		return
	}
	s.Rhs = []ast.Expr{l.called(placeTypes, s.Rhs)}
}

// called returns values of the types as the results of a call, which gc evaluates early.
func (l *lowerer) called(typs []types.Type, args []ast.Expr) *ast.CallExpr {
	params, results := &ast.FieldList{}, &ast.FieldList{}
	var values []ast.Expr
	for i, t := range typs {
		name := fmt.Sprintf("v%d", i)
		params.List = append(params.List, &ast.Field{Names: []*ast.Ident{ast.NewIdent(name)}, Type: l.spell.spell(t)})
		results.List = append(results.List, &ast.Field{Type: l.spell.spell(t)})
		values = append(values, ast.NewIdent(name))
	}
	same := &ast.FuncLit{
		Type: &ast.FuncType{Params: params, Results: results},
		Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: values}}},
	}
	return call(same, args...)
}

// resultsAfterOperands does that for a statement of the user that assigns to a result.
func (l *lowerer) resultsAfterOperands(s *ast.AssignStmt) {
	toResult := false
	var placeTypes []types.Type
	for _, x := range s.Lhs {
		t := l.info.TypeOf(x)
		if id, ok := ast.Unparen(x).(*ast.Ident); ok {
			for _, r := range l.fn.results {
				toResult = toResult || l.info.Uses[id] == r.obj
			}
			if id.Name == "_" {
				t = types.NewInterfaceType(nil, nil)
			}
		}
		placeTypes = append(placeTypes, t)
	}
	if toResult {
		l.afterOperands(s, placeTypes)
	}
}

// faultsLate reports whether x has an operation that can panic and that gc does neither
// early, as it does calls, nor takes for a read of memory.
func (l *lowerer) faultsLate(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.TypeAssertExpr:
			found = true
		case *ast.BinaryExpr:
			found = found || l.info.Types[n.Y].Value == nil && l.canFault(n)
		}
		return !found
	})
	return found
}

// canFault reports whether a division can be one by zero, or a shift one by a negative
// count.
func (l *lowerer) canFault(x *ast.BinaryExpr) bool {
	info := func(x ast.Expr) types.BasicInfo {
		if t := l.info.TypeOf(x); t != nil {
			if b, ok := t.Underlying().(*types.Basic); ok {
				return b.Info()
			}
		}
		return types.IsInteger // a type parameter, or the result of a future
	}
	switch x.Op {
	case token.QUO, token.REM:
		return info(x.Y)&types.IsInteger != 0
	case token.SHL, token.SHR:
		return info(x.Y)&types.IsUnsigned == 0
	}
	return false
}
