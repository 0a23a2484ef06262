package transform

// m[k] = append(m[k], ...)
//
// gc makes one operation of the two accesses to the entry. It evaluates m and k
// once, before the other arguments of append, unless they are variables or constants
// (the statement OAS and its mapAppend in cmd/compile/internal/walk/order.go):
//
//	c.m[c.k] = append(c.m[c.k], await())     m, k := c.m, c.k
//	                                         t = await()
//	                                         m[k] = append(m[k], t)

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// entryAppend returns the entry and the call of a statement that appends to an entry of
// a map, nil for others.
func (l *lowerer) entryAppend(s *ast.AssignStmt) (*ast.IndexExpr, *ast.CallExpr) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return nil, nil
	}
	left, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	if !ok {
		return nil, nil
	}
	m, ok := coreType(l.info.TypeOf(left.X)).(*types.Map)
	if !ok {
		return nil, nil
	}
	c, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || !l.isBuiltin(c, "append") || !l.sameSafe(left, c.Args[0]) {
		return nil, nil
	}
	if !types.Identical(l.info.TypeOf(left.Index), m.Key()) && types.IsInterface(m.Key()) {
		return nil, nil // a conversion, which gc does not compare
	}
	return left, c
}

// appendToEntry evaluates the operands of the entry that s appends to, if s is such a
// statement.
func (l *lowerer) appendToEntry(s *ast.AssignStmt) {
	left, c := l.entryAppend(s)
	if left == nil {
		return
	}
	m := coreType(l.info.TypeOf(left.X)).(*types.Map)
	right := ast.Unparen(c.Args[0]).(*ast.IndexExpr)
	keep := func(name string, x, y *ast.Expr) {
		t := l.info.TypeOf(*x)
		if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			t = m.Key()
		}
		*x = l.keep(*x, name, t)
		*y = l.mention(l.info.Uses[(*x).(*ast.Ident)].(*types.Var))
	}
	if !l.cheap(left.X) {
		keep("entries", &left.X, &right.X)
	}
	if l.info.Types[left.Index].Value == nil && !l.lateKey(left.Index, m) {
		keep("key", &left.Index, &right.Index)
	}
}

// appendLate rewrites s if it is such a statement, and m or k is a variable that a box
// makes another expression, which gc would evaluate before the calls in the arguments
// of append. This reads it behind them:
//
//	m[k], _ = append(m[k], ...), 0
func (l *lowerer) appendLate(s *ast.AssignStmt) {
	left, c := l.entryAppend(s)
	if left == nil || !slices.ContainsFunc(c.Args[1:], func(x ast.Expr) bool { return hasCall(l.info, x) }) {
		return
	}
	m := coreType(l.info.TypeOf(left.X)).(*types.Map)
	late := l.lateKey(left.Index, m)
	if !l.inMemory(left.X) && !(late && l.inMemory(left.Index)) {
		return
	}
	if !late && l.info.Types[left.Index].Value == nil {
		// The key is early all the same.
		right := ast.Unparen(c.Args[0]).(*ast.IndexExpr)
		key := []types.Type{l.info.TypeOf(left.Index)}
		left.Index, right.Index = l.called(key, []ast.Expr{left.Index}), l.called(key, []ast.Expr{right.Index})
	}
	s.Lhs = append(s.Lhs, ast.NewIdent("_"))
	s.Rhs = append(s.Rhs, intLit(0))
}

// inMemory reports whether x is a variable that the frame reaches through a pointer.
func (l *lowerer) inMemory(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v := l.fn.byObj[l.info.Uses[id]]
	return v != nil && (v.boxed || v.resident)
}

// lateKey reports whether gc reads the key x of a map of type m when it appends to the
// entry, not before. A variable that has to be converted for the runtime's functions
// does not count as one.
func (l *lowerer) lateKey(x ast.Expr, m *types.Map) bool {
	if !l.cheap(x) || l.derived(m) || l.copiesKey(x, m) {
		return false
	}
	fast := l.fastKey(m)
	return fast == nil || types.Identical(fast, l.info.TypeOf(x))
}

// sameSafe reports whether gc sees that x and y are the same (SameSafeExpr in
// cmd/compile/internal/ir/expr.go).
func (l *lowerer) sameSafe(x, y ast.Expr) bool {
	x, y = ast.Unparen(x), ast.Unparen(y)
	tx, ty := l.info.Types[x], l.info.Types[y]
	if tx.Type == nil || ty.Type == nil || !types.Identical(tx.Type, ty.Type) {
		return false
	}
	if tx.Value != nil && ty.Value != nil {
		return constant.Compare(tx.Value, token.EQL, ty.Value)
	}
	switch x := x.(type) {
	case *ast.Ident:
		y, ok := y.(*ast.Ident)
		_, variable := l.info.Uses[x].(*types.Var)
		return ok && (variable || tx.IsNil()) && l.info.Uses[x] == l.info.Uses[y]
	case *ast.SelectorExpr:
		y, ok := y.(*ast.SelectorExpr)
		if !ok || l.info.Uses[x.Sel] != l.info.Uses[y.Sel] {
			return false
		}
		s := l.info.Selections[x]
		if s == nil {
			return true // of a package
		}
		return s.Kind() == types.FieldVal && l.sameSafe(x.X, y.X)
	case *ast.StarExpr:
		y, ok := y.(*ast.StarExpr)
		return ok && l.sameSafe(x.X, y.X)
	case *ast.UnaryExpr:
		y, ok := y.(*ast.UnaryExpr)
		return ok && x.Op == y.Op && x.Op != token.ARROW && x.Op != token.AND && l.sameSafe(x.X, y.X)
	case *ast.BinaryExpr:
		y, ok := y.(*ast.BinaryExpr)
		return ok && x.Op == y.Op && arithmetic(x.Op, tx.Type) && l.sameSafe(x.X, y.X) && l.sameSafe(x.Y, y.Y)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && l.sameSafe(x.X, y.X) && l.sameSafe(x.Index, y.Index)
	case *ast.CallExpr:
		y, ok := y.(*ast.CallExpr)
		if !ok || !l.info.Types[x.Fun].IsType() || !l.info.Types[y.Fun].IsType() {
			return false
		}
		b, ok := tx.Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString == 0 && l.sameSafe(x.Args[0], y.Args[0])
	}
	return false
}

// arithmetic reports whether op, with a result of type t, is one that can be done twice:
// comparisons and the concatenation of strings are not seen through.
func arithmetic(op token.Token, t types.Type) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return false
	}
	return !isString(t)
}
