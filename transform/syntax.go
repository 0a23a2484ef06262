package transform

// Constructors for the syntax that the passes make.

import (
	"go/ast"
	"go/token"
)

func call(fun ast.Expr, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: fun, Args: args}
}

func sel(x ast.Expr, name string) *ast.SelectorExpr {
	return &ast.SelectorExpr{X: x, Sel: ast.NewIdent(name)}
}

func assign(lhs, rhs ast.Expr) *ast.AssignStmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{lhs}, Tok: token.ASSIGN, Rhs: []ast.Expr{rhs}}
}

func define(name string, rhs ast.Expr) *ast.AssignStmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent(name)}, Tok: token.DEFINE, Rhs: []ast.Expr{rhs}}
}

func exprStmt(x ast.Expr) *ast.ExprStmt { return &ast.ExprStmt{X: x} }

func not(x ast.Expr) ast.Expr {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return not(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return e.X
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL:
			return &ast.BinaryExpr{X: e.X, OpPos: e.OpPos, Op: token.NEQ, Y: e.Y}
		case token.NEQ:
			return &ast.BinaryExpr{X: e.X, OpPos: e.OpPos, Op: token.EQL, Y: e.Y}
		}
		return &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: x}}
	}
	return &ast.UnaryExpr{Op: token.NOT, X: x}
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}
