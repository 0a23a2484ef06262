package transform

import (
	"go/ast"
	"go/token"
	"go/types"
)

// terminating reports whether s is a terminating statement in the sense of the
// Go specification, after which control does not go on.
func terminating(info *types.Info, s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		c, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := ast.Unparen(c.Fun).(*ast.Ident)
		if !ok {
			return false
		}
		b, ok := info.Uses[id].(*types.Builtin)
		return ok && b.Name() == "panic"
	case *ast.BlockStmt:
		return terminatingList(info, s.List)
	case *ast.IfStmt:
		return s.Else != nil && terminatingList(info, s.Body.List) && terminating(info, s.Else, "")
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label, true)
	case *ast.LabeledStmt:
		return terminating(info, s.Stmt, s.Label.Name)
	case *ast.SwitchStmt:
		return terminatingClauses(info, s.Body, label)
	case *ast.TypeSwitchStmt:
		return terminatingClauses(info, s.Body, label)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			body := c.(*ast.CommClause).Body
			if !terminatingList(info, body) || breaksList(body, label, true) {
				return false
			}
		}
		return true
	}
	return false
}

func terminatingList(info *types.Info, list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if _, ok := list[i].(*ast.EmptyStmt); !ok {
			return terminating(info, list[i], "")
		}
	}
	return false
}

func terminatingClauses(info *types.Info, body *ast.BlockStmt, label string) bool {
	hasDefault := false
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		hasDefault = hasDefault || c.List == nil
		if !terminatingList(info, c.Body) || breaksList(c.Body, label, true) {
			return false
		}
	}
	return hasDefault
}

func breaksList(list []ast.Stmt, label string, implicit bool) bool {
	for _, s := range list {
		if breaks(s, label, implicit) {
			return true
		}
	}
	return false
}

// breaks reports whether s has a break that refers to the enclosing statement:
// one with the label, or, if implicit, one without.
func breaks(s ast.Node, label string, implicit bool) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if found || n == nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			if n.Tok == token.BREAK {
				found = n.Label == nil && implicit || n.Label != nil && n.Label.Name == label
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if n != s && implicit {
				found = label != "" && breaks(n, label, false)
				return false
			}
		}
		return !found
	})
	return found
}
